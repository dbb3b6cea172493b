// What the panel changes about a scene: every method keeps to its own keys, and the engine takes what comes out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { compiled, readScene, TestSession } from './support.mjs';

const { applyEdits } = await import(pathToFileURL(join(compiled, '../page/edits.js')).href);

function fractures(text) {
    return JSON.parse(text).bodies.flatMap((body) => body.fracture ?? []);
}

test('no edits leave the text as it is', () => {
    const text = readScene('plates');
    assert.equal(applyEdits(text, {}, new Map()), text);
});

test('another method keeps only the keys that both have', () => {
    const made = fractures(applyEdits(readScene('piggy_bank'), { method: 'stress', pieces: 9 }, new Map()));
    assert.deepEqual(made, [{ method: 'stress', generations: 1, tetrahedra: 1500 }]);
    const none = fractures(applyEdits(readScene('piggy_bank'), { method: 'none' }, new Map()));
    assert.deepEqual(none, [{ method: 'none' }]);
});

test('bodies without a method break by a pattern when one is chosen', () => {
    const scene = { rubble: 1, shapes: { box: { kind: 'box', size: [1, 1, 1] } }, bodies: [{ shape: 'box' }] };
    const made = fractures(applyEdits(JSON.stringify(scene), { pattern: 'slabs' }, new Map()));
    assert.deepEqual(made, [{ method: 'prescored', pattern: 'slabs' }]);
});

for (const scene of ['plates', 'piggy_bank', 'stress_plates']) {
    for (const method of [undefined, 'prescored', 'stress', 'none']) {
        test(`the engine takes ${scene} with the method ${method ?? 'of the scene'}`, async () => {
            const edits = { method, pattern: 'voronoi', pieces: 7 };
            const text = applyEdits(readScene(scene), edits, new Map());
            const session = await TestSession.started();
            await session.send({ kind: 'load', id: 5, scene: { name: `${scene}.json`, text, files: [] } });
            assert.equal(session.last('loaded')?.id, 5, JSON.stringify(session.last('failed')));
        });
    }
}
