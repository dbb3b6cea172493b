// How much slower the engine is in WebAssembly, in node and in headless Chromium, than native with one
// thread, in one run (make web-bench builds what it needs):
//   node apps/web/tests/speed/speed.mjs [--runs N] [SCENE...]
// All run every scene N times, by turns. A step's time is its smallest of all runs, so that whatever else the
// machine does counts for little; the table has the mean and the worst step. Fails when final states differ,
// or when a mean is more than twice the native one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePath, nativeTool, readScene, scenePath, wasmModule } from '../node/support.mjs';
import { openChromium } from './chromium.mjs';
import { timeSteps } from './timed.mjs';

const { Engine } = await import(enginePath('engine.js'));
const LIMIT = 2;

function parse(words) {
    const counted = words[0] === '--runs';
    const scenes = words.slice(counted ? 2 : 0);
    return {
        runs: counted ? Number(words[1]) : 3,
        scenes: scenes.length > 0 ? scenes : ['plates', 'bowl_of_statues', 'statue_35', 'pile_1000'],
    };
}

function runNative(scene, folder) {
    const stats = join(folder, 'stats.json');
    const words = ['simulate', scenePath(scene), '--quiet', '--threads', '1', '--stats', stats];
    execFileSync(nativeTool, words, { stdio: 'ignore' });
    const { steps, hash } = JSON.parse(readFileSync(stats, 'utf8'));
    return { times: steps.slice(1).map((step) => step.ms.total), hash };
}

/** The smallest times of several runs, and whether all ended alike. */
class Runs {
    times;
    hashes = new Set();

    add({ times, hash }) {
        this.times = this.times === undefined ? times : this.times.map((time, i) => Math.min(time, times[i]));
        this.hashes.add(hash);
    }

    get mean() {
        return this.times.reduce((sum, time) => sum + time, 0) / this.times.length;
    }

    get worst() {
        return Math.max(...this.times);
    }
}

async function compare(scene, runs) {
    const [native, node, browser] = [new Runs(), new Runs(), new Runs()];
    for (let i = 0; i < runs; ++i) {
        native.add(runNative(scene, folder));
        node.add(timeSteps(engine, readScene(scene), `${scene}.json`));
        browser.add(await chromium.run(readScene(scene), `${scene}.json`));
    }
    const same = new Set([...native.hashes, ...node.hashes, ...browser.hashes]).size === 1;
    const ratios = [node.mean / native.mean, browser.mean / native.mean];
    const cells = [native, node, browser].flatMap(({ mean, worst }) => [mean, worst]);
    const numbers = [...cells, ...ratios].map((value) => value.toFixed(2).padStart(9));
    console.log(`${scene.padEnd(16)}${numbers.join('')}   ${same ? 'same' : 'DIFFERENT'}`);
    return same && ratios.every((ratio) => ratio <= LIMIT);
}

const { runs, scenes } = parse(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'rubble-speed-'));
const engine = await Engine.create(wasmModule());
const chromium = await openChromium();
const groups = 'native              node          Chromium     times native      state';
console.log(`ms a step (smallest of ${runs} runs)   ${groups}`);
console.log(`${'scene'.padEnd(16)}${'     mean    worst'.repeat(3)}     node Chromium   at the end`);
for (const scene of scenes) {
    if (!(await compare(scene, runs))) {
        process.exitCode = 1;
    }
}
await chromium.close();
rmSync(folder, { recursive: true });
