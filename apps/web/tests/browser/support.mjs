// The built site in a real browser, and what the tests ask a page again and again.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch as launchBrowser, listen } from '../chromium.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
export const site = resolve(root, process.env.RUBBLE_SITE ?? 'build/web/site/play');

/** Serves the site and nothing else. */
export function serve() {
    return listen((path) => {
        const file = join(site, normalize(path).replace(/\/$/, '/index.html'));
        const there = file.startsWith(site) && existsSync(file) && statSync(file).isFile();
        return there ? readFileSync(file) : undefined;
    });
}

export function launch({ withoutWebGL = false } = {}) {
    return launchBrowser(
        withoutWebGL
            ? ['--disable-gpu', '--disable-3d-apis']
            : ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    );
}

/** The site and a browser for all tests of a file; there when these run. */
export function running() {
    const there = {};
    before(async () => {
        there.server = await serve();
        there.browser = await launch();
        there.url = there.server.url;
    });
    after(async () => {
        await there.browser?.close();
        there.server?.stop();
    });
    return there;
}

/** How long anything may take; machines that run tests are slow, and the tests are about what happens, not
 * when. */
export const patience = 90000;

/** A page, opened and running; its errors are gathered in page.faults. */
export async function open(browser, address, options = {}) {
    const context = await browser.newContext({
        viewport: { width: 1000, height: 640 },
        acceptDownloads: true,
        ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.faults = [];
    page.on('pageerror', (error) => page.faults.push(error.message));
    page.began = Date.now();
    await page.goto(address, { waitUntil: 'commit' });
    await until(page, 'window.rubble !== undefined && rubble.state().loads > 0 && rubble.state().steps > 0');
    return page;
}

/** Wait until an expression is true in the page. */
export function until(page, expression) {
    return page.waitForFunction(expression, undefined, { polling: 50, timeout: patience });
}

export function state(page) {
    return page.evaluate(() => window.rubble.state());
}

/** Wait until the picture shows the world as it is now: bodies are drawn, and two pictures more. */
export async function drawn(page, bodies = 1) {
    await until(page, `rubble.state().drawn >= ${bodies} && rubble.state().pictures > 0`);
}

/** Energy that nobody put in: kinetic + potential - work, of a world that may only lose some. */
export function ownEnergy({ energy }) {
    return energy.kinetic + energy.potential - energy.work;
}

/** Drop a file on the page, as from a file manager. */
export async function drop(page, name, bytes) {
    const base64 = Buffer.from(bytes).toString('base64');
    await page.evaluate(
        async ({ name: fileName, data }) => {
            const response = await fetch(`data:application/octet-stream;base64,${data}`);
            const transfer = new DataTransfer();
            transfer.items.add(new File([await response.blob()], fileName));
            for (const type of ['dragenter', 'dragover', 'drop']) {
                document
                    .getElementById('view')
                    .dispatchEvent(
                        new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }),
                    );
            }
        },
        { name, data: base64 },
    );
}

/** Take a picture of the part of the window where the scene is. It stays in the page; what comes back is its
 * number and how many different colours it has, of 4096: a blank or flat one has a few. */
export async function picture(page) {
    const { width, height } = page.viewportSize();
    const clip =
        width > 700
            ? { x: 290, y: 90, width: width - 580, height: height - 170 }
            : { x: 0, y: 70, width, height: height - 250 };
    const png = (await page.screenshot({ clip })).toString('base64');
    return page.evaluate(async (data) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
        window.picturesTaken = [...(window.picturesTaken ?? []), pixels];
        const seen = new Set();
        for (let i = 0; i < pixels.length; i += 4) {
            seen.add(((pixels[i] >> 4) << 8) | ((pixels[i + 1] >> 4) << 4) | (pixels[i + 2] >> 4));
        }
        return { number: window.picturesTaken.length - 1, colors: seen.size };
    }, png);
}

/** Part of the pixels of two pictures that differ clearly. */
export function difference(page, a, b) {
    return page.evaluate(
        (numbers) => {
            const [first, second] = numbers.map((number) => window.picturesTaken[number]);
            let count = 0;
            for (let i = 0; i < first.length; i += 4) {
                const change =
                    Math.abs(first[i] - second[i]) +
                    Math.abs(first[i + 1] - second[i + 1]) +
                    Math.abs(first[i + 2] - second[i + 2]);
                count += change > 60 ? 1 : 0;
            }
            return count / (first.length / 4);
        },
        [a.number, b.number],
    );
}
