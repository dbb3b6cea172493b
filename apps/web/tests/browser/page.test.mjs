// The playground in a real browser: what visitors do, with real clicks, keys and files.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import validator from 'gltf-validator';
import {
    difference,
    drawn,
    drop,
    open,
    ownEnergy,
    picture,
    running,
    site,
    state,
    until,
} from './support.mjs';

const there = running();

async function withPage(address, options, body) {
    const page = await open(there.browser, there.url + address, options);
    try {
        await body(page);
        assert.deepEqual(page.faults, [], 'errors in the page');
    } finally {
        await page.context().close();
    }
}

test('the page weighs less than 1.5 MB without scenes', () => {
    const files = readdirSync(site).filter((name) => /\.(html|css|js|wasm)$/.test(name));
    const weights = files.map((name) => [
        name,
        gzipSync(readFileSync(join(site, name)), { level: 9 }).length,
    ]);
    const total = weights.reduce((sum, [, bytes]) => sum + bytes, 0);
    const kilobytes = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;
    const each = weights.map(([name, bytes]) => `${name} ${kilobytes(bytes)}`);
    console.log(`page weight, gzipped: ${each.join(', ')}; ${kilobytes(total)} in all`);
    assert.ok(total < 1.5 * 1024 * 1024, `${total} bytes`);
});

test('the notices of what the page is made of come with it', () => {
    const notices = readFileSync(join(site, 'licenses.txt'), 'utf8');
    assert.match(notices, /three\.js authors/);
    assert.match(notices, /==== Rubble ====/);
    assert.match(readFileSync(join(site, 'index.html'), 'utf8'), /href="licenses\.txt"/);
});

test('a ball that a click throws breaks a plate, and energy only goes down', async () => {
    await withPage('', {}, async (page) => {
        await drawn(page, 26);
        const whole = await state(page);
        assert.equal(whole.stats.fragments, 0, 'nothing is broken yet');
        const at = await page.evaluate(() => window.rubble.screenOf('plate 2.3'));
        await page.mouse.click(at.x, at.y);
        await until(page, 'rubble.state().stats.fragments >= 5');
        const seconds = ((Date.now() - page.began) / 1000).toFixed(1);
        console.log(`first plate broken ${seconds} s after the page was asked for`);
        let last = await state(page);
        const scale = last.stats.energy.work + Math.abs(last.stats.energy.potential);
        for (let i = 0; i < 8; ++i) {
            await page.waitForTimeout(150);
            const now = await state(page);
            assert.ok(
                ownEnergy(now.stats) <= ownEnergy(last.stats) + 1e-4 * scale,
                `energy grew at step ${now.steps}`,
            );
            last = now;
        }
        const { bodies, breaks, fragments } = last.stats;
        assert.ok(breaks >= 1);
        assert.equal(bodies, whole.stats.bodies + 1 + fragments - breaks, `${breaks} broke`);
        await until(page, `rubble.state().drawn >= ${whole.drawn + 5}`);
        await page.mouse.move(5, 300);
        await page.waitForTimeout(1000);
        const shards = await picture(page);
        assert.ok(shards.colors > 60, `a picture with ${shards.colors} colours`);
        // The same scene from its start again: shards are what differs.
        await page.click('#reset');
        await until(page, 'rubble.state().loads === 2 && rubble.state().drawn === 26');
        await page.mouse.move(5, 300);
        await page.waitForTimeout(1000);
        const changed = await difference(page, shards, await picture(page));
        assert.ok(changed > 0.002, `${changed} of the picture changed`);
    });
});

test('downloads: a sound animation, pieces, and a scene that can be opened again', async () => {
    await withPage('#scene=piggy_bank', {}, async (page) => {
        await until(page, 'rubble.state().stats.fragments > 0');
        await page.locator('summary', { hasText: 'Your files' }).click();
        const get = async (button) => {
            const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
            return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
        };
        const glb = await get('#get-glb');
        const report = await validator.validateBytes(new Uint8Array(glb.bytes));
        assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 3)));
        assert.ok(
            report.info.animationCount === 1 && report.info.drawCallCount > 5,
            JSON.stringify(report.info),
        );
        const pieces = await get('#get-pieces');
        assert.equal(pieces.bytes.toString('latin1', 0, 2), 'PK');
        const scene = await get('#get-scene');
        assert.equal(JSON.parse(scene.bytes.toString()).rubble, 1);
        const loads = (await state(page)).loads;
        await drop(page, scene.name, scene.bytes);
        await until(page, `rubble.state().loads > ${loads} && rubble.state().stats.fragments > 0`);
    });
});

/** A closed cube without one of its sides, as text. */
function openBox() {
    const corners = [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 1],
    ];
    const sides = [
        [1, 4, 3, 2],
        [5, 6, 7, 8],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [4, 1, 5, 8],
    ];
    return [
        ...corners.map((corner) => `v ${corner.join(' ')}`),
        ...sides.map((side) => `f ${side.join(' ')}`),
    ].join('\n');
}

test('a dropped mesh is mended, said to be, put on the floor, and breaks by a touch', async () => {
    await withPage('', {}, async (page) => {
        await drop(page, 'box.obj', openBox());
        await until(page, "rubble.state().scene === 'box.obj' && rubble.state().drawn === 1");
        assert.match(await page.textContent('#verdict'), /hole filled/);
        await page.evaluate(() => document.getElementById('share').click());
        await page.locator('.message', { hasText: 'A link cannot carry your own file' }).waitFor();
        await page.keyboard.press('b');
        const at = await page.evaluate(() => window.rubble.screenOf('box.obj'));
        await page.mouse.click(at.x, at.y);
        await until(page, 'rubble.state().stats.fragments > 5');
    });
});

test('files that are no good are refused with a reason, and the scene goes on', async () => {
    await withPage('', {}, async (page) => {
        await drop(page, 'noise.obj', 'v 1 2\nf 1 2 3 9\n\u0000\u0001');
        const message = page.locator('.message.bad').first();
        await message.waitFor();
        assert.match(await message.textContent(), /noise\.obj/);
        await drop(page, 'picture.png', 'not a mesh');
        await page.locator('.message.bad', { hasText: 'OBJ, STL, PLY' }).waitFor();
        await drop(page, 'scene.json', '{ "rubble": 1, "bodies": [ { "shape": "none" } ], "shapes": {} }');
        await page.locator('.message.bad', { hasText: 'scene.json' }).waitFor();
        const { steps, scene } = await state(page);
        await until(page, `rubble.state().steps > ${steps + 5}`);
        assert.equal(scene, 'plates');
    });
});

test('a mesh of two million triangles is taken or refused in words; the page lives on', async () => {
    await withPage('', {}, async (page) => {
        await page.evaluate(() => {
            const side = 1000;
            const view = new DataView(new ArrayBuffer(84 + 2 * side * side * 50));
            view.setUint32(80, 2 * side * side, true);
            for (let i = 0, at = 84; i < 2 * side * side; ++i, at += 50) {
                const x = (i >> 1) % side;
                const z = Math.floor((i >> 1) / side);
                const corners =
                    i & 1
                        ? [
                              [x, z],
                              [x, z + 1],
                              [x + 1, z + 1],
                          ]
                        : [
                              [x, z],
                              [x + 1, z + 1],
                              [x + 1, z],
                          ];
                corners.forEach(([u, v], k) =>
                    [u, Math.sin(u * 0.1) * 9, v].forEach((value, c) =>
                        view.setFloat32(at + 12 + 12 * k + 4 * c, value, true),
                    ),
                );
            }
            const transfer = new DataTransfer();
            transfer.items.add(new File([view.buffer], 'large.stl'));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
        });
        await page.locator('.message', { hasText: 'large.stl' }).waitFor();
        const { steps } = await state(page);
        await until(page, `rubble.state().steps > ${steps + 5}`);
    });
});

test('an engine that dies is said to have, and can be started again', async () => {
    await withPage('', {}, async (page) => {
        const worker = page.workers()[0];
        await worker.evaluate(() =>
            self.postMessage({
                kind: 'fatal',
                message: 'The engine ran out of memory. Start again with fewer pieces.',
            }),
        );
        await page.locator('.message.bad', { hasText: 'out of memory' }).waitFor();
        assert.ok((await state(page)).drawn > 0, 'the last picture stays');
        await page.click('.message.bad button:has-text("Start again")');
        await until(page, 'rubble.state().loads === 2 && rubble.state().steps > 3');
        assert.equal(await page.locator('.message.bad').count(), 0);
        // Choosing another scene starts it again, too.
        const stopped = { kind: 'fatal', message: 'The engine stopped.' };
        await page.workers()[0].evaluate((report) => self.postMessage(report), stopped);
        await page.locator('.message.bad', { hasText: 'The engine stopped' }).waitFor();
        await page.keyboard.press('n');
        await until(page, "rubble.state().scene === 'wrecking_ball' && rubble.state().loads === 3");
        assert.equal(await page.locator('.message.bad').count(), 0);
    });
});

test('a step that fails pauses the scene, and the button says so', async () => {
    await withPage('', {}, async (page) => {
        const worker = page.workers()[0];
        const report = { kind: 'failed', id: 0, message: 'A step failed.', paused: true };
        await worker.evaluate((value) => self.postMessage(value), report);
        await page.locator('.message.bad', { hasText: 'A step failed' }).waitFor();
        assert.equal(await page.getAttribute('#play', 'aria-pressed'), 'false');
        assert.equal(await page.textContent('#play-text'), 'Go on');
        const { steps } = await state(page);
        await page.click('#play');
        await until(page, `rubble.state().steps > ${steps + 3}`);
    });
});

test('a large mesh is read with words about how far it is', async () => {
    await withPage('', {}, async (page) => {
        await page.evaluate(() => {
            window.told = [];
            const veil = document.getElementById('veil-text');
            new MutationObserver(() => window.told.push(veil.textContent)).observe(veil, { childList: true });
        });
        await drop(page, 'box.obj', openBox());
        await until(page, "rubble.state().scene === 'box.obj' && rubble.state().drawn === 1");
        const told = await page.evaluate(() => window.told);
        assert.ok(told.includes('Mending box.obj, 10 triangles'), told.join('; '));
        assert.ok(await page.evaluate(() => document.getElementById('veil').classList.contains('gone')));
    });
});

test('a hidden tab rests, and does not catch up', async () => {
    await withPage('', {}, async (page) => {
        const hide = (hidden) =>
            page.evaluate((value) => {
                Object.defineProperty(document, 'hidden', { value, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
            }, hidden);
        await hide(true);
        await page.waitForTimeout(500);
        const { steps } = await state(page);
        await page.waitForTimeout(3000);
        assert.equal((await state(page)).steps, steps, 'steps while hidden');
        await hide(false);
        await until(page, `rubble.state().steps > ${steps}`);
        assert.ok((await state(page)).steps < steps + 60, 'three seconds are not caught up with');
    });
});

test('a grabbed plate follows the pointer', async () => {
    await withPage('', {}, async (page) => {
        await drawn(page, 26);
        const at = await page.evaluate(() => window.rubble.screenOf('plate 1.3'));
        await page.mouse.move(at.x, at.y);
        await page.mouse.down({ button: 'right' });
        await page.mouse.move(at.x + 10, at.y - 20, { steps: 3 });
        await page.mouse.move(at.x + 30, at.y - 70, { steps: 6 });
        const now = "rubble.screenOf('plate 1.3')";
        await until(page, `Math.hypot(${now}?.x - ${at.x}, ${now}?.y - ${at.y}) > 25`);
        await page.mouse.up({ button: 'right' });
        assert.equal((await state(page)).stats.bodies, 27, 'nothing was thrown');
    });
});

test('every overlay and the exploded view can be shown', async () => {
    await withPage('#scene=stress_brick', {}, async (page) => {
        await until(page, 'rubble.state().stats.fragments > 1');
        await page.locator('summary', { hasText: 'View' }).click();
        for (const name of ['contacts', 'samples', 'fields', 'islands', 'stress', 'boxes']) {
            await page.check(`#overlay-${name}`);
        }
        const { steps } = await state(page);
        await until(page, `rubble.state().steps > ${steps + 3}`);
        await page.fill('#explode', '0.5');
        const { pictures } = await state(page);
        await until(page, `rubble.state().pictures > ${pictures}`);
    });
});

test('a link brings scene, seed and changes, and the page writes it', async () => {
    await withPage('#scene=wine_glass&seed=7&pieces=40&material=ceramic&speed=12', {}, async (page) => {
        assert.equal((await state(page)).scene, 'wine_glass');
        assert.equal(await page.inputValue('#seed'), '7');
        assert.equal(await page.inputValue('#edit-pieces'), '40');
        assert.equal(await page.inputValue('#edit-material'), 'ceramic');
        assert.equal(await page.inputValue('#ball-speed'), '12');
        await page.selectOption('#edit-pattern', 'voronoi');
        await until(page, "location.hash.includes('pattern=voronoi')");
        assert.match(await page.evaluate(() => location.hash), /scene=wine_glass.*seed=7.*pieces=40/);
    });
});
