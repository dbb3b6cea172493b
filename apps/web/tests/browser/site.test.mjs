// The pages around the playground in a real browser: nothing is fetched from elsewhere, no serious findings
// of axe-core, light or dark, phone width holds them, and search, menu and filter work.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSite } from '../../site/build.mjs';
import { findings, launch, listen } from '../chromium.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');
const PAGES = [
    'index.html',
    'docs/step.html',
    'docs/patterns.html',
    'docs/scene-reference.html',
    'gallery/index.html',
    'api/index.html',
    'api/joint.html',
];
const SCREENS = [
    { name: 'desktop, light', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
    { name: 'phone, dark', viewport: { width: 375, height: 720 }, colorScheme: 'dark', isMobile: true },
];

/** Serve a folder below a path, as a host would that keeps the site in a folder. */
function serve(folder, prefix) {
    return listen((path) => {
        const file = join(folder, normalize(path.slice(prefix.length)));
        const there = path.startsWith(prefix) && statSync(file, { throwIfNoEntry: false })?.isFile();
        return there ? readFileSync(file) : undefined;
    });
}

const pagesBelow = (folder) =>
    readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.html'));

describe('the site', () => {
    let folder;
    let server;
    let browser;
    let base;
    before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'rubble-site-'));
        buildSite({ root: ROOT, out: join(folder, 'site'), withPlayground: false, withGallery: false });
        server = await serve(join(folder, 'site'), '/some/folder/');
        base = `${server.url}some/folder`;
        browser = await launch();
    });
    after(async () => {
        await browser?.close();
        server?.stop();
        rmSync(folder, { recursive: true });
    });

    async function open(path, screen = SCREENS[0]) {
        const { name, ...options } = screen;
        const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
        const page = await context.newPage();
        const problems = [];
        page.on('request', (request) => {
            if (!request.url().startsWith(base) && !request.url().startsWith('data:')) {
                problems.push(`fetched ${request.url()}`);
            }
        });
        page.on(
            'response',
            (response) => response.ok() || problems.push(`${response.status()} ${response.url()}`),
        );
        page.on('pageerror', (error) => problems.push(error.message));
        await page.goto(`${base}/${path}`, { waitUntil: 'load' });
        return { page, problems, close: () => context.close() };
    }

    for (const screen of SCREENS) {
        test(`pages_are_whole_and_accessible: ${screen.name}`, async () => {
            for (const path of PAGES) {
                const { page, problems, close } = await open(path, screen);
                assert.deepEqual(await findings(page), [], path);
                assert.deepEqual(problems, [], path);
                await close();
            }
        });
    }

    test('no_page_is_wider_than_a_phone', async () => {
        const { page, close } = await open('index.html', SCREENS[1]);
        const wide = [];
        for (const path of pagesBelow(join(folder, 'site'))) {
            await page.goto(`${base}/${path}`, { waitUntil: 'domcontentloaded' });
            const root = 'document.documentElement';
            const over = await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`);
            wide.push(...(over ? [`${path}: ${over} pixels`] : []));
        }
        assert.deepEqual(wide, []);
        await close();
    });

    test('search_finds_a_function_and_goes_there_by_keyboard', async () => {
        const { page, close } = await open('docs/step.html');
        await page.keyboard.press('/');
        await page.keyboard.type('rbl_world_step');
        await page.waitForSelector('#search-results [aria-selected=true]');
        assert.match(await page.textContent('#search-results [aria-selected=true]'), /^rbl_world_step/);
        await page.keyboard.press('Enter');
        await page.waitForURL(`${base}/api/world.html#rbl_world_step`);
        await close();
    });

    test('the_menu_of_narrow_screens_opens_and_closes', async () => {
        const { page, close } = await open('docs/step.html', SCREENS[1]);
        assert.equal(await page.isVisible('#navigation'), false);
        await page.click('.menu');
        assert.equal(await page.isVisible('#navigation a[aria-current=page]'), true);
        assert.equal(await page.getAttribute('.menu', 'aria-expanded'), 'true');
        await page.click('.menu');
        assert.equal(await page.isVisible('#navigation'), false);
        await close();
    });

    test('names_are_filtered_and_counted', async () => {
        const { page, close } = await open('api/index.html');
        await page.fill('#filter', 'body create');
        const shown = await page.$$eval('.names li:not([hidden]) code', (names) =>
            names.map((name) => name.textContent),
        );
        assert.deepEqual(shown, ['rbl_body_create']);
        assert.equal(await page.textContent('#filter-count'), '1 name');
        await close();
    });

    test('the_playground_starts_in_place_on_a_click', async () => {
        const { page, close } = await open('index.html');
        assert.equal(await page.$('.stage iframe'), null);
        await page.click('.stage a');
        assert.equal(await page.getAttribute('.stage iframe', 'src'), 'play/index.html');
        await close();
    });
});
