// What a page can do with a scene: load, step, throw, pull, break, look inside, take away.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import validator from 'gltf-validator';
import { TestSession, nativeTool, plateBreaker, readScene } from './support.mjs';

const PLATE = { origin: [0.307, 0.8, 2], direction: [0, 0, -1] };

function poseOf(frame, slot) {
    return new Float32Array(frame.buffer, slot * 32, 8);
}

/** A ball of clay in space, and nothing else. */
function ballScene(extra = {}) {
    return JSON.stringify({
        rubble: 1,
        gravity: [0, 0, 0],
        shapes: { ball: { kind: 'sphere', radius: 0.2 } },
        bodies: [{ name: 'ball', shape: 'ball', material: 'clay' }],
        ...extra,
    });
}

function energyOf({ kinetic, potential, work, dissipated }) {
    return { now: kinetic + potential, books: work - dissipated };
}

test('starting tells what engine it is', async () => {
    const ready = (await TestSession.started()).last('ready');
    assert.match(ready.version, /^\d+\.\d+\.\d+$/);
    assert.equal(ready.presets.find(({ name }) => name === 'glass').strength, 4e7);
    assert.equal(ready.stages.length, 9);
});

test('a scene comes as meshes, then bodies, then a frame', async () => {
    const session = await TestSession.started();
    const reports = await session.load('plates');
    const kinds = reports.map(({ kind }) => kind);
    assert.deepEqual([...new Set(kinds)], ['loaded', 'mesh', 'bodies', 'frame']);
    const { added } = session.last('bodies');
    const { slots, buffer, stats } = session.last('frame');
    assert.equal(added.length, stats.bodies);
    const meshes = new Set(session.all('mesh').map(({ mesh }) => mesh));
    for (const body of added) {
        assert.ok(body.plane !== undefined || meshes.has(body.mesh), `${body.name} can be drawn`);
        assert.ok(body.slot < slots);
        assert.equal(poseOf({ buffer }, body.slot)[7] & 1, 1, `${body.name} is there`);
    }
    const { camera, step, about } = session.last('loaded');
    assert.equal(camera.eye.length, 3);
    assert.ok(step > 0 && about.length > 0);
});

test('meshes are closed solids with unit normals', async () => {
    const session = await TestSession.loaded('plates');
    for (const { positions, normals, indices, crackStart } of session.all('mesh')) {
        assert.equal(positions.length, normals.length);
        assert.ok(indices.every((index) => 3 * index < positions.length));
        assert.equal(crackStart, indices.length, 'nothing is broken yet');
        for (let i = 0; i < normals.length; i += 3) {
            assert.ok(Math.abs(Math.hypot(...normals.subarray(i, i + 3)) - 1) < 1e-4);
        }
    }
});

test('a thrown ball breaks a plate, and energy is booked', async () => {
    const session = await TestSession.loaded('plates');
    const before = session.last('frame').stats;
    await session.send(plateBreaker);
    assert.equal(session.last('bodies').added[0].name, 'thrown_1');
    await session.step(12);
    const { stats } = session.last('frame');
    assert.ok(stats.breaks > 0 && stats.fragments > 5);
    const whole = energyOf(before.energy);
    const broken = energyOf(stats.energy);
    assert.ok(Math.abs(broken.now - whole.now - broken.books) < 1e-6 * stats.energy.work);
    const pieces = session.all('bodies').flatMap(({ added }) => added).filter(({ parent }) => parent >= 0);
    assert.equal(pieces.length, stats.fragments);
    assert.ok(pieces.every(({ outward }) => Math.hypot(...outward) > 0));
    assert.ok(pieces.every(({ breakable }) => typeof breakable === 'boolean'));
    const meshes = session.all('mesh').filter(({ mesh }) => pieces.some((piece) => piece.mesh === mesh));
    assert.equal(meshes.length, pieces.length);
    const cracked = meshes.every(({ crackStart, indices }) => crackStart < indices.length);
    assert.ok(cracked, 'pieces have crack faces');
});

test('a ray breaks what it meets, there', async () => {
    const session = await TestSession.loaded('plates');
    await session.send({ kind: 'break', ...PLATE });
    assert.equal(session.last('frame').stats.breaks, 1);
    const [failed] = await session.send({ kind: 'break', origin: [0, 50, 0], direction: [0, 1, 0] });
    assert.match(failed.message, /nothing to break/);
    await session.send({ kind: 'break', origin: [0, 5, 0.9], direction: [0, -1, 0] });
    assert.equal(session.last('failed').id, 0);
});

test('what is grabbed comes to the hand, stays there, and flies on when it is let go', async () => {
    const session = await TestSession.started();
    await session.send({ kind: 'load', id: 1, scene: { name: 'ball.json', text: ballScene() } });
    const [grabbed] = await session.send({ kind: 'grab', origin: [0, 0, 2], direction: [0, 0, -1] });
    assert.equal(grabbed.slot, 0);
    assert.ok(Math.abs(grabbed.point[2] - 0.2) < 1e-4);
    await session.send({ kind: 'drag', target: [1, 0, 0.2] });
    await session.step(10);
    const { energy } = session.last('frame').stats;
    const off = Math.abs(energy.work - energy.kinetic);
    assert.ok(energy.work > 1 && off < 1e-6 * energy.work, 'the hand does work');
    await session.step(190);
    const frame = session.last('frame');
    const [x, y, z] = poseOf(frame, 0);
    const reach = Math.hypot(x - 1, y, z - 0.2);
    const where = `the point that is held is at the hand: the ball is at ${x} ${y} ${z}`;
    assert.ok(Math.abs(reach - 0.2) < 0.02, where);
    const { kinetic } = frame.stats.energy;
    assert.ok(kinetic < 1e-3 * energy.kinetic, `and all but at rest: ${kinetic} J`);
    await session.send({ kind: 'drag', target: [4, 0, 0.2] });
    await session.step(10);
    await session.send({ kind: 'release' });
    const flung = session.last('frame').stats.energy.kinetic;
    await session.step(30);
    const later = session.last('frame').stats.energy.kinetic;
    assert.ok(flung > 1 && Math.abs(later - flung) < 1e-3 * flung, 'it flies on');
});

test('a hand over nothing, or over what cannot move, is empty', async () => {
    const session = await TestSession.loaded('plates');
    const [nothing] = await session.send({ kind: 'grab', origin: [0, 50, 0], direction: [0, 1, 0] });
    assert.equal(nothing.slot, -1);
    const [floor] = await session.send({ kind: 'grab', origin: [3, 5, 3], direction: [0, -1, 0] });
    assert.equal(floor.slot, -1);
});

test('overlays draw what they are asked for and nothing else', async () => {
    const session = await TestSession.loaded('plates');
    const names = ['contacts', 'samples', 'fields', 'islands', 'stress', 'boxes'];
    const none = Object.fromEntries(names.map((name) => [name, false]));
    await session.step(3);
    assert.equal(session.last('frame').overlay, undefined);
    for (const key of ['contacts', 'samples', 'fields', 'islands', 'stress', 'boxes']) {
        await session.send({ kind: 'overlays', ...none, [key]: true });
        const { lines, points } = session.last('frame').overlay;
        assert.ok(lines.length + points.length > 0, `${key} are seen`);
        assert.equal(lines.length % 12, 0);
        assert.equal(points.length % 7, 0);
        assert.ok(lines.every(Number.isFinite) && points.every(Number.isFinite));
    }
    await session.send({ kind: 'overlays', ...none });
    assert.equal(session.last('frame').overlay, undefined);
});

test('buffers of frames are used again', async () => {
    const session = await TestSession.loaded('dominoes');
    const first = session.last('frame').buffer;
    await session.session.take({ kind: 'recycle', buffer: first });
    const size = first.byteLength;
    await session.step(1);
    assert.equal(session.last('frame').buffer.byteLength, size);
    assert.equal(first.byteLength, 0, 'the buffer was handed on');
});

test('reset begins again, with the same bits for the same seed', async () => {
    const session = await TestSession.loaded('plates');
    await session.step(30);
    const first = session.last('frame').hash;
    await session.send({ kind: 'reset' });
    await session.step(30);
    assert.equal(session.last('frame').hash, first);
    await session.send({ kind: 'reset', seed: 5 });
    assert.equal(session.last('loaded').seed, 5);
    await session.step(30);
    assert.notEqual(session.last('frame').hash, first);
});

test('bad commands are refused in words, and the scene goes on', async () => {
    const session = await TestSession.loaded('plates');
    const bad = [
        { kind: 'throw', origin: [NaN, 0, 0], velocity: [0, 0, 0], radius: 1, material: 'steel' },
        { kind: 'throw', origin: [0, 5, 0], velocity: [0, 0, 0], radius: -1, material: 'steel' },
        { kind: 'throw', origin: [0, 5, 0], velocity: [0, 0, 0], radius: 1, material: 'cheese' },
        { kind: 'grab', origin: [0, 0, 0], direction: [0, 0, 0] },
        { kind: 'drag', target: [Infinity, 0, 0] },
        { kind: 'play', playing: true, speed: -1 },
        { kind: 'export', id: 4, what: 'stl' },
        { kind: 'throw' },
        { kind: 'grab', origin: 'here', direction: null },
        { kind: 'load', id: 3 },
        { kind: 'import', id: 3, name: 'x.obj' },
        { kind: 'dance' },
    ];
    for (const command of bad) {
        const failed = (await session.send(command)).at(-1);
        assert.equal(failed.kind, 'failed', JSON.stringify(command));
        assert.ok(failed.message.length > 5);
    }
    await session.step(1);
    assert.equal(session.last('frame').step, 1);
});

test('a scene that fails says where, and leaves the one before', async () => {
    const session = await TestSession.loaded('dominoes');
    const scenes = [ballScene({ bodies: [{ shape: 'bal' }] }), ballScene({ seed: 'x' })];
    const texts = ['{', '[]', '{"rubble": 1}', ...scenes];
    for (const text of texts) {
        const [failed] = await session.send({ kind: 'load', id: 9, scene: { name: 'bad.json', text } });
        assert.equal(failed.kind, 'failed');
        assert.equal(failed.id, 9);
        assert.match(failed.message, /^bad\.json:\d+:\d+/);
    }
    await session.step(2);
    assert.equal(session.last('frame').step, 2);
});

test('nothing works before a scene is there, and everything says so', async () => {
    const session = await TestSession.started();
    const commands = [{ kind: 'step', count: 1 }, { kind: 'export', id: 2, what: 'glb' }, { kind: 'reset' }];
    for (const command of commands) {
        const [failed] = await session.send(command);
        assert.equal(failed.kind, 'failed');
        assert.match(failed.message, /scene/);
    }
});

// ---- what is taken away ----

async function played() {
    const session = await TestSession.loaded('plates');
    await session.send(plateBreaker);
    await session.step(10);
    await session.send({ kind: 'break', origin: [-0.3, 0.8, 2], direction: [0, 0, -1] });
    await session.step(5);
    return session;
}

test("the run is an animated GLB without a fault that Khronos' validator knows", async () => {
    const session = await played();
    const [{ bytes, mime, name }] = await session.send({ kind: 'export', id: 1, what: 'glb' });
    assert.equal(mime, 'model/gltf-binary');
    assert.equal(name, 'plates.glb');
    const view = new DataView(bytes);
    assert.equal(view.getUint32(0, true), 0x46546c67);
    assert.equal(view.getUint32(8, true), bytes.byteLength);
    const json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, view.getUint32(12, true))));
    assert.ok(json.nodes.some((node) => node.name === 'thrown_1'));
    assert.ok(json.nodes.some((node) => /_piece_/.test(node.name)));
    assert.ok(json.animations[0].channels.length > 10);
    const { issues } = await validator.validateBytes(new Uint8Array(bytes));
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages.slice(0, 3)));
    assert.equal(issues.numWarnings, 0, JSON.stringify(issues.messages.slice(0, 3)));
});

/** Names and contents of a zip, by its directory. */
function unzip(buffer) {
    const view = new DataView(buffer);
    const end = buffer.byteLength - 22;
    const entries = new Map();
    let at = view.getUint32(end + 16, true);
    for (let i = 0; i < view.getUint16(end + 10, true); ++i) {
        const length = view.getUint16(at + 28, true);
        const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, length));
        const local = view.getUint32(at + 42, true);
        const data = Buffer.from(buffer, local + 30 + length, view.getUint32(at + 20, true));
        entries.set(name, view.getUint16(at + 10, true) === 8 ? inflateRawSync(data) : data);
        assert.equal(entries.get(name).length, view.getUint32(at + 24, true));
        at += 46 + length;
    }
    return entries;
}

test('the pieces are a zip of meshes as they lie', async () => {
    const session = await played();
    const [{ bytes }] = await session.send({ kind: 'export', id: 1, what: 'pieces' });
    const entries = unzip(bytes);
    const list = JSON.parse(entries.get('pieces.json').toString());
    assert.equal(list.length, session.last('frame').stats.fragments);
    for (const { file, mass } of list) {
        assert.match(entries.get(file).toString(), /^v /m);
        assert.ok(mass > 0);
    }
});

test('there are no pieces before anything broke', async () => {
    const session = await TestSession.loaded('plates');
    const [failed] = await session.send({ kind: 'export', id: 6, what: 'pieces' });
    assert.equal(failed.kind, 'failed');
    assert.match(failed.message, /no pieces/);
});

test('the scene that is exported replays natively what the user did, bit for bit', async () => {
    const session = await played();
    await session.send({ kind: 'grab', origin: [-0.6, 0.35, 2], direction: [0, 0, -1] });
    await session.send({ kind: 'drag', target: [0, 1.2, 0.6] });
    await session.step(12);
    const { hash, step } = session.last('frame');
    const [{ bytes, name }] = await session.send({ kind: 'export', id: 1, what: 'scene' });
    assert.equal(name, 'plates.json');
    const scene = JSON.parse(new TextDecoder().decode(bytes));
    scene.duration = step * scene.step;
    const folder = mkdtempSync(join(tmpdir(), 'rubble-scene-'));
    writeFileSync(join(folder, name), JSON.stringify(scene));
    const words = ['simulate', join(folder, name), '--quiet', '--json'];
    const output = execFileSync(nativeTool, words, { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    assert.equal(JSON.parse(output).hash, hash);
    assert.ok(scene.events.length > JSON.parse(readScene('plates')).events.length);
});
