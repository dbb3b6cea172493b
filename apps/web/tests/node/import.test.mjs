// Meshes that people drop: read, mended with a verdict, broken in a scene; or refused in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestSession } from './support.mjs';

const encode = (text) => new TextEncoder().encode(text).buffer;

/** A cube as OBJ; `faces` to leave some out. */
function cube(faces = 6) {
    const corners = [];
    for (let i = 0; i < 8; ++i) {
        corners.push(`v ${i & 1} ${(i >> 1) & 1} ${i >> 2}`);
    }
    const quads = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];
    return [...corners, ...quads.slice(0, faces).map((quad) => `f ${quad}`)].join('\n');
}

/** A sheet of `side` x `side` bumps as binary STL: two triangles each. */
function sheet(side) {
    const count = 2 * side * side;
    const view = new DataView(new ArrayBuffer(84 + 50 * count));
    view.setUint32(80, count, true);
    let at = 84;
    const put = (corners) => {
        at += 12;
        for (const [x, y] of corners) {
            [x, y, Math.sin(x) * Math.cos(y)].forEach((value) => {
                view.setFloat32(at, value, true);
                at += 4;
            });
        }
        at += 2;
    };
    for (let x = 0; x < side; ++x) {
        for (let y = 0; y < side; ++y) {
            put([[x, y], [x + 1, y], [x + 1, y + 1]]);
            put([[x, y], [x + 1, y + 1], [x, y + 1]]);
        }
    }
    return view.buffer;
}

async function importOne(name, bytes) {
    const session = await TestSession.started();
    const report = (await session.send({ kind: 'import', id: 3, name, bytes })).at(-1);
    assert.equal(report.id, 3);
    return { session, report };
}

test('a sound mesh is taken as it is', async () => {
    const { report } = await importOne('cube.obj', encode(cube()));
    assert.equal(report.kind, 'imported');
    assert.ok(report.solid);
    assert.match(report.verdict, /Sound as it is/);
    assert.equal(report.triangles, 12);
    assert.deepEqual(report.size, [1, 1, 1]);
});

test('a hole is filled, and the verdict says so', async () => {
    const { report } = await importOne('open.obj', encode(cube(5)));
    assert.ok(report.solid);
    assert.match(report.verdict, /Mended: .*1 hole filled/);
});

test('what is done is told as it goes', async () => {
    const { session } = await importOne('open.obj', encode(cube(5)));
    const told = session.all('progress').map(({ text }) => text);
    assert.deepEqual(told, [
        'Reading open.obj',
        'Mending open.obj, 10 triangles',
        'Making open.obj ready, 12 triangles',
    ]);
});

test('what was imported breaks in a scene', async () => {
    const { session, report } = await importOne('my cube.obj', encode(cube(5)));
    const scene = {
        rubble: 1,
        shapes: { thing: { kind: 'mesh', file: report.file.name, height: 0.5 }, ground: { kind: 'plane' } },
        bodies: [
            { name: 'ground', shape: 'ground', type: 'static' },
            {
                name: 'thing',
                shape: 'thing',
                material: 'glass',
                position: [0, 2, 0],
                fracture: { method: 'prescored' },
            },
        ],
    };
    const source = { name: 'mine.json', text: JSON.stringify(scene), files: [report.file] };
    await session.send({ kind: 'load', id: 5, scene: source });
    assert.equal(session.last('loaded').id, 5);
    await session.send({ kind: 'break', origin: [0.1, 5, 0.1], direction: [0, -1, 0] });
    assert.equal(session.last('frame').stats.breaks, 1);
    await session.send({ kind: 'reset' });
    assert.equal(session.last('frame').step, 0, 'its file is still there');
    const [exported] = await session.send({ kind: 'export', id: 6, what: 'scene' });
    assert.equal(exported.name, 'mine.zip', 'with its mesh');
});

test('broken files are refused by name, and the session lives on', async () => {
    const session = await TestSession.loaded('dominoes');
    const bad = [
        ['photo.jpg', encode('JFIF')],
        ['noise.glb', encode('glTF but not really, no')],
        ['short.stl', new ArrayBuffer(90)],
        ['empty.obj', new ArrayBuffer(0)],
        ['words.ply', encode('ply\nformat ascii 1.0\nelement vertex 9999999999\nend_header\n')],
        ['index.obj', encode('v 0 0 0\nf 1 2 3\n')],
        ['flat.obj', encode('v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n')],
    ];
    for (const [name, bytes] of bad) {
        const failed = (await session.send({ kind: 'import', id: 8, name, bytes })).at(-1);
        assert.equal(failed.kind, 'failed', name);
        assert.equal(failed.id, 8);
        assert.ok(failed.message.includes(name), failed.message);
    }
    await session.step(1);
    assert.equal(session.last('frame').step, 1);
});

test('two million triangles are refused with a way out', async () => {
    const { session, report } = await importOne('huge.stl', sheet(1000));
    assert.equal(report.kind, 'failed');
    assert.match(report.message, /2000000 triangles are too many/);
    await session.load('dominoes');
    assert.equal(session.last('loaded').id, 1);
});
