// The engine in headless Chromium, to be timed there: a server for its files on a port of its own, and a page without content.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { compiled, wasmPath } from '../node/support.mjs';

const FLAGS = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

function answer(request, response) {
    const name = new URL(request.url, 'http://localhost').pathname.slice(1);
    const file = name === 'rubble.wasm' ? wasmPath : join(compiled, name);
    const known = /^[a-z]+\.(js|wasm)$/.test(name) && existsSync(file);
    response.writeHead(known || name === '' ? 200 : 404, { 'Content-Type': TYPES[extname(name)] ?? 'text/html' });
    known ? createReadStream(file).pipe(response) : response.end('<!doctype html><title>speed</title>');
}

/** Run in the browser: times of all steps, and the hash at the end. */
async function runScene({ text, name }) {
    const { Engine } = await import('/engine.js');
    window.engine ??= await Engine.create(await WebAssembly.compileStreaming(fetch('/rubble.wasm')));
    const { engine } = window;
    engine.load(text, name);
    const { duration, step } = engine.describe();
    const times = [];
    let look = engine.look();
    for (let i = 0; i < Math.round(duration / step); ++i) {
        engine.step();
        look = engine.look();
        times.push(look.stats.stepMs);
    }
    return { times, hash: look.hash };
}

export async function openChromium() {
    const server = createServer(answer);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    const browser = await chromium.launch({ executablePath, args: FLAGS });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return {
        run: (text, name) => page.evaluate(runScene, { text, name }),
        close: async () => {
            await browser.close();
            server.close();
        },
    };
}
