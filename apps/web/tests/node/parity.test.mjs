// A scene ends in the same state, to the last bit, in WebAssembly and native: all of scenes/. Here for their
// first steps; RUBBLE_PARITY=full (make web-parity) runs them to their ends.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { enginePath, nativeTool, readScene, root, wasmModule } from './support.mjs';

const { Engine } = await import(enginePath('engine.js'));
const MOST_STEPS = process.env.RUBBLE_PARITY === 'full' ? Infinity : 45;
const folder = mkdtempSync(join(tmpdir(), 'rubble-parity-'));
after(() => rmSync(folder, { recursive: true }));

/** The scene, ended early. */
function shorten(name) {
    const scene = JSON.parse(readScene(name));
    const step = scene.step ?? 1 / 60;
    scene.duration = Math.min(scene.duration ?? 5, MOST_STEPS * step);
    return { text: JSON.stringify(scene), steps: Math.round(scene.duration / step) };
}

function runNative(name, text) {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    const output = execFileSync(nativeTool, ['simulate', path, '--quiet', '--json'], { encoding: 'utf8' });
    return JSON.parse(output);
}

async function runWasm(name, text, steps) {
    const engine = await Engine.create(wasmModule());
    engine.load(text, `${name}.json`);
    for (let i = 0; i < steps; ++i) {
        engine.step();
    }
    return engine.look();
}

for (const file of readdirSync(join(root, 'scenes')).filter((entry) => entry.endsWith('.json')).sort()) {
    const name = file.slice(0, -'.json'.length);
    test(`${name} ends in the same state`, async () => {
        const { text, steps } = shorten(name);
        const native = runNative(name, text);
        const look = await runWasm(name, text, steps);
        assert.equal(native.steps, steps);
        assert.equal(look.stats.bodies, native.bodies);
        assert.equal(look.hash, native.hash, `after ${steps} steps`);
    });
}
