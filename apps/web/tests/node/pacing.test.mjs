// The worker's clock: real time, slow motion, and what becomes of time that nobody was there for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestSession } from './support.mjs';

const STEP_MS = 1000 / 60;

async function playing(speed = 1) {
    const session = await TestSession.loaded('dominoes');
    await session.send({ kind: 'play', playing: true, speed });
    await session.wait(0);
    return session;
}

test('a second of play is a second of the scene', async () => {
    const session = await playing();
    for (let i = 0; i < 120; ++i) {
        await session.wait(STEP_MS / 2);
    }
    const { step } = session.last('frame');
    assert.ok(Math.abs(step - 60) <= 1, `${step} steps`);
});

test('slow motion takes its time', async () => {
    const session = await playing(0.1);
    for (let i = 0; i < 100; ++i) {
        await session.wait(STEP_MS);
    }
    const { step } = session.last('frame');
    assert.ok(Math.abs(step - 10) <= 1, `${step} steps`);
});

test('a minute in a hidden tab is dropped, not caught up', async () => {
    const session = await playing();
    await session.wait(STEP_MS);
    const before = session.last('frame').step;
    await session.wait(60000);
    const after = session.last('frame').step;
    assert.ok(after - before <= 3, `${after - before} steps at once`);
    await session.wait(STEP_MS);
    assert.ok(session.last('frame').step - after <= 1);
});

test('a pause stops, and time does not pass in it', async () => {
    const session = await playing();
    await session.wait(STEP_MS);
    await session.send({ kind: 'play', playing: false, speed: 1 });
    const { step } = session.last('frame');
    await session.wait(5000);
    assert.equal(session.last('frame').step, step);
    await session.send({ kind: 'play', playing: true, speed: 1 });
    await session.wait(0);
    await session.wait(STEP_MS);
    assert.equal(session.last('frame').step, step + 1);
});

test('commands are heard between turns', async () => {
    const session = await playing();
    await session.wait(STEP_MS);
    const ball = { origin: [0, 2, 0], velocity: [0, 0, 0], radius: 0.1, material: 'rubber' };
    await session.send({ kind: 'throw', ...ball });
    await session.wait(STEP_MS);
    assert.equal(session.last('bodies').added.at(-1).name, 'thrown_1');
});

test('a scene that is loaded while another plays goes on playing', async () => {
    const session = await playing();
    await session.wait(STEP_MS);
    await session.load('newton_cradle');
    for (let i = 0; i < 10; ++i) {
        await session.wait(STEP_MS);
    }
    assert.ok(session.last('frame').step > 2);
});

test('a step that fails pauses the scene and says so, and it can go on', async () => {
    const session = await playing();
    const { engine } = session.session;
    engine.step = () => {
        throw new Error('no step today');
    };
    await session.wait(2 * STEP_MS);
    const failed = session.last('failed');
    assert.deepEqual(failed, { kind: 'failed', id: 0, message: 'no step today', paused: true });
    delete engine.step;
    await session.wait(10 * STEP_MS);
    const { step } = session.last('frame');
    await session.wait(10 * STEP_MS);
    assert.equal(session.last('frame').step, step, 'paused');
    await session.send({ kind: 'play', playing: true, speed: 1 });
    await session.wait(0);
    await session.wait(3 * STEP_MS);
    assert.ok(session.last('frame').step > step, 'and it goes on');
});
