// Everything by keyboard, at phone width, without WebGL, with little motion; and what axe finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings } from '../chromium.mjs';
import { drawn, launch, open, picture, running, state, until } from './support.mjs';

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 };

const there = running();

test('keys throw, pause, step, break, open the list of scenes and the help; focus can be seen', async () => {
    const page = await open(there.browser, there.url);
    await drawn(page, 26);
    await page.focus('#view');
    const { bodies } = (await state(page)).stats;
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    assert.ok(await page.isVisible('#reticle'));
    await page.keyboard.press('Enter');
    await until(page, `rubble.state().stats.bodies > ${bodies}`);
    await page.keyboard.press('p');
    assert.equal(await page.getAttribute('#play', 'aria-pressed'), 'false');
    await page.waitForTimeout(400);
    const { steps } = await state(page);
    await page.keyboard.press('.');
    await until(page, `rubble.state().steps === ${steps + 1}`);
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('#help'));
    await page.keyboard.press('Escape');
    assert.ok(!(await page.isVisible('#help')));
    // From the picture on, Tab reaches every control that can be seen.
    const ids = new Set();
    await page.focus('#view');
    for (let i = 0; i < 45; ++i) {
        await page.keyboard.press('Tab');
        ids.add(
            await page.evaluate(
                () =>
                    document.activeElement?.id ||
                    document.activeElement?.getAttribute('value') ||
                    document.activeElement?.tagName,
            ),
        );
        const seen = await page.evaluate(() => {
            const target = document.activeElement;
            const shown = target?.matches('.tools input, .file input') ? target.nextElementSibling : target;
            return target === document.body || getComputedStyle(shown).outlineStyle !== 'none';
        });
        assert.ok(seen, `focus on ${[...ids].at(-1)} can be seen`);
    }
    for (const id of [
        'scene-button',
        'ball-speed',
        'edit-method',
        'edit-pieces',
        'seed',
        'dice',
        'play',
        'step',
        'reset',
        'speed',
        'help-button',
    ]) {
        assert.ok(ids.has(id), `Tab reaches ${id}`);
    }
    await page.focus('#scene-button');
    await page.keyboard.press('Enter');
    await until(page, "document.activeElement.dataset.scene === 'plates'");
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(page, "rubble.state().scene === 'wrecking_ball' && rubble.state().loads === 2");
    assert.deepEqual(page.faults, []);
    await page.context().close();
});

test('at 360 pixels nothing is cut off, panels fold, a tap throws', async () => {
    const page = await open(there.browser, there.url, phone);
    await drawn(page, 26);
    const outside = await page.evaluate(() =>
        [...document.querySelectorAll('button, select, input, .card')]
            .filter((one) => {
                const box = one.getBoundingClientRect();
                return (
                    box.width > 0 && one.checkVisibility() && (box.left < -1 || box.right > innerWidth + 1)
                );
            })
            .map((one) => one.id || one.outerHTML.slice(0, 60)),
    );
    assert.deepEqual(outside, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.ok(!(await page.isVisible('#panel-body')));
    const { bodies } = (await state(page)).stats;
    const at = await page.evaluate(() => window.rubble.screenOf('plate 2.3'));
    await page.touchscreen.tap(at.x, at.y);
    await until(page, `rubble.state().stats.bodies > ${bodies}`);
    assert.ok((await picture(page)).colors > 40);
    await page.tap('#fold');
    assert.ok(await page.isVisible('#panel-body'));
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(page.faults, []);
    await page.context().close();
});

test('where there is little room the figures are folded away and come when asked for', async () => {
    const page = await open(there.browser, there.url);
    assert.ok(!(await page.isVisible('#figures-body')));
    assert.match(await page.textContent('#figures-line'), /bodies/);
    await page.keyboard.press('f');
    assert.ok(await page.isVisible('#chart'));
    await page.setViewportSize({ width: 1280, height: 640 });
    assert.ok(await page.isVisible('#figures-body'));
    await page.context().close();
});

test('panels do not cover each other', async () => {
    const page = await open(there.browser, there.url);
    for (const width of [760, 1000, 1280]) {
        await page.setViewportSize({ width, height: 640 });
        if (!(await page.isVisible('#figures-body'))) {
            await page.keyboard.press('f');
        }
        const covered = await page.evaluate(() => {
            const cards = [...document.querySelectorAll('.card')].filter((one) => one.checkVisibility());
            const before = (a, b) => a.right <= b.left || a.bottom <= b.top;
            const apart = (a, b) => before(a, b) || before(b, a);
            const pairs = cards.flatMap((a, i) => cards.slice(i + 1).map((b) => [a, b]));
            return pairs.filter(([a, b]) => !apart(a.getBoundingClientRect(), b.getBoundingClientRect()))
                .map(([a, b]) => `${a.id} and ${b.id}`);
        });
        assert.deepEqual(covered, [], `${width} pixels wide`);
    }
    await page.context().close();
});

test('axe has no serious findings, with everything open', async () => {
    const page = await open(there.browser, there.url, { reducedMotion: 'reduce' });
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
    assert.deepEqual(await findings(page), []);
    await page.click('#scene-button');
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    await page.click('#help-button');
    assert.deepEqual(await findings(page), []);
    await page.context().close();
});

test('without WebGL the page says so, and the engine runs', async () => {
    const blind = await launch({ withoutWebGL: true });
    const page = await open(blind, `${there.url}#scene=piggy_bank`);
    assert.match(await page.textContent('#no-picture'), /WebGL/);
    await until(page, 'rubble.state().stats.fragments > 0 && rubble.state().drawn > 1');
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(page.faults, []);
    await blind.close();
});
