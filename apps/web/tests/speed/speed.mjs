// How much slower the engine is in WebAssembly than native with one thread, in one run:
//   node apps/web/tests/speed/speed.mjs [--runs N] [SCENE...]        (make web-bench builds what it needs first)
// Both run every scene N times, by turns. A step's time is its smallest of all runs, so that whatever else the machine does
// counts for little; the table has the mean and the worst step. Fails when the final states differ or the mean is more than
// twice the native one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePath, nativeTool, readScene, scenePath, wasmModule } from '../node/support.mjs';

const { Engine } = await import(enginePath('engine.js'));
const LIMIT = 2;

function parse(words) {
    const runs = words[0] === '--runs' ? Number(words[1]) : 3;
    const scenes = words.slice(words[0] === '--runs' ? 2 : 0);
    return { runs, scenes: scenes.length > 0 ? scenes : ['plates', 'bowl_of_statues', 'statue_35', 'pile_1000'] };
}

function runNative(scene, folder) {
    const stats = join(folder, 'stats.json');
    execFileSync(nativeTool, ['simulate', scenePath(scene), '--quiet', '--threads', '1', '--stats', stats], { stdio: 'ignore' });
    const { steps, hash } = JSON.parse(readFileSync(stats, 'utf8'));
    return { times: steps.slice(1).map((step) => step.ms.total), hash };
}

function runWasm(engine, scene) {
    engine.load(readScene(scene), `${scene}.json`);
    const { duration, step } = engine.describe();
    const times = [];
    let look = engine.look();
    for (let i = 0; i < Math.round(duration / step); ++i) {
        engine.step();
        look = engine.look();
        times.push(look.stats.stepMs);
    }
    return { times, hash: look.hash };
}

function smallest(a, b) {
    return a === undefined ? b : a.map((time, i) => Math.min(time, b[i]));
}

function summary(times) {
    return { mean: times.reduce((sum, time) => sum + time, 0) / times.length, worst: Math.max(...times) };
}

function compare(engine, scene, runs, folder) {
    let native;
    let wasm;
    let same = true;
    for (let i = 0; i < runs; ++i) {
        const a = runNative(scene, folder);
        const b = runWasm(engine, scene);
        native = smallest(native, a.times);
        wasm = smallest(wasm, b.times);
        same &&= a.hash === b.hash;
    }
    return { scene, same, native: summary(native), wasm: summary(wasm) };
}

function cell(value) {
    return value.toFixed(2).padStart(9);
}

const { runs, scenes } = parse(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'rubble-speed-'));
const engine = await Engine.create(wasmModule());
console.log(`ms a step, smallest of ${runs} runs${' '.repeat(7)}native            WebAssembly         ratio of`);
console.log(`${'scene'.padEnd(24)}     mean     worst      mean     worst      means    hash`);
for (const scene of scenes) {
    const { native, wasm, same } = compare(engine, scene, runs, folder);
    const ratio = wasm.mean / native.mean;
    process.exitCode ||= same && ratio <= LIMIT ? 0 : 1;
    const times = [native.mean, native.worst, wasm.mean, wasm.worst, ratio].map(cell).join(' ');
    console.log(`${scene.padEnd(24)}${times}   ${same ? 'same' : 'DIFFERENT'}`);
}
rmSync(folder, { recursive: true });
