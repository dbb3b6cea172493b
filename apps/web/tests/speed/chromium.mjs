// The engine in headless Chromium, to be timed there: a server for its files, and a page without content.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, listen } from '../chromium.mjs';
import { compiled, wasmPath } from '../node/support.mjs';

const others = {
    'rubble.wasm': wasmPath,
    'timed.mjs': fileURLToPath(new URL('timed.mjs', import.meta.url)),
};

function find(path) {
    const name = path.slice(1);
    if (name === '') {
        return '<!doctype html><title>speed</title>';
    }
    const file = others[name] ?? join(compiled, name);
    return /^[a-z]+\.(js|mjs|wasm)$/.test(name) && existsSync(file) ? readFileSync(file) : undefined;
}

/** Run in the browser. */
async function runScene({ text, name }) {
    const { Engine } = await import('/engine.js');
    const { timeSteps } = await import('/timed.mjs');
    window.engine ??= await Engine.create(await WebAssembly.compileStreaming(fetch('/rubble.wasm')));
    return timeSteps(window.engine, text, name);
}

export async function openChromium() {
    const server = await listen(find);
    const browser = await launch();
    const page = await browser.newPage();
    await page.goto(server.url);
    return {
        run: (text, name) => page.evaluate(runScene, { text, name }),
        close: async () => {
            await browser.close();
            server.stop();
        },
    };
}
