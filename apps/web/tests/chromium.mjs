// What every test in a real browser begins with: a server on a port of its own, headless Chromium, and axe.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { chromium } from 'playwright-core';

const types = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.css': 'text/css',
    '.json': 'application/json',
    '.wasm': 'application/wasm',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
};
const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serves what `find` makes of a path: bytes, or undefined where there is nothing. */
export function listen(find) {
    const server = createServer((request, response) => {
        const path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
        const bytes = find(path);
        if (bytes === undefined) {
            response.writeHead(404).end();
            return;
        }
        const type = types[extname(path) || '.html'] ?? 'application/octet-stream';
        response.writeHead(200, { 'Content-Type': type }).end(bytes);
    });
    return new Promise((done) => {
        server.listen(0, '127.0.0.1', () =>
            done({ url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() }),
        );
    });
}

export function launch(more = []) {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    return chromium.launch({ executablePath, args: [...flags, ...more] });
}

/** Findings of axe that are serious or worse, as text. */
export async function findings(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
    return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, help, nodes }) => {
            const places = nodes.map((node) => node.target.join(' '));
            return `${id}: ${help}: ${places.join(', ')}`;
        });
}
