// Out of memory, and errors of the engine's own: told once, in words, and nothing after.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestSession, enginePath, readScene, wasmModule } from './support.mjs';

const { MemoryFiles } = await import(enginePath('wasi.js'));
const { Engine } = await import(enginePath('engine.js'));

/** Twenty thousand boxes. */
const crowd = JSON.stringify({
    rubble: 1,
    shapes: { box: { kind: 'box', size: [0.1, 0.1, 0.1] } },
    bodies: [{ shape: 'box', grid: { count: [20, 50, 20], spacing: [0.2, 0.2, 0.2] } }],
});

function loadCrowd(session) {
    return session.send({ kind: 'load', id: 2, scene: { name: 'crowd.json', text: crowd } });
}

test('a first scene that does not fit is fatal, with advice', async () => {
    const session = await TestSession.started({ maximumPages: 300 });
    await loadCrowd(session);
    const { message } = session.last('fatal');
    assert.match(message, /out of memory/);
    assert.match(message, /smaller/);
});

test('a scene that does not fit beside another is refused, and the other lives on', async () => {
    const session = await TestSession.started({ maximumPages: 300 });
    await session.load('elevator');
    const [failed] = await loadCrowd(session);
    assert.equal(failed.kind, 'failed');
    assert.match(failed.message, /memory/);
    await session.step(3);
    assert.equal(session.last('frame').step, 3);
});

test('memory that ends while a scene runs is fatal, and the last word', async () => {
    const session = await TestSession.started({ maximumPages: 260 });
    await session.load('elevator');
    const ball = { kind: 'throw', origin: [0, 3, 0], velocity: [0, 0, 0], radius: 0.01, material: 'steel' };
    for (let i = 0; i < 30000 && session.all('fatal').length === 0; ++i) {
        await session.session.take(ball);
        session.reports = session.reports.filter(({ kind }) => kind === 'fatal');
    }
    assert.equal(session.all('fatal').length, 1);
    assert.match(session.last('fatal').message, /out of memory/);
    const after = await session.send({ kind: 'step', count: 1 });
    assert.deepEqual(after, []);
});

test('a trap is fatal', async () => {
    const session = await TestSession.loaded('elevator');
    const engine = session.session.engine;
    const { step } = engine;
    engine.step = () => {
        throw new WebAssembly.RuntimeError('unreachable');
    };
    await session.step(1);
    assert.match(session.last('fatal').message, /The engine stopped: unreachable/);
    engine.step = step;
    assert.deepEqual(await session.step(1), []);
});

test('engines from one module do not see each other', async () => {
    const [a, b] = await Promise.all([Engine.create(wasmModule()), Engine.create(wasmModule())]);
    a.load(readScene('elevator'), 'elevator.json');
    assert.throws(() => b.step(), /no scene/);
});

test('files in memory are made, renamed, taken and removed', () => {
    const files = new MemoryFiles();
    files.make('a').write(0, Uint8Array.of(1, 2));
    files.get('a').write(4, Uint8Array.of(5));
    assert.deepEqual([...files.get('a').bytes], [1, 2, 0, 0, 5]);
    assert.ok(files.rename('a', 'b'));
    assert.ok(!files.rename('a', 'c'));
    assert.deepEqual([...files.take('b')], [1, 2, 0, 0, 5]);
    assert.equal(files.take('b'), undefined);
    files.put('d', Uint8Array.of(9));
    assert.ok(files.remove('d') && !files.remove('d'));
});
