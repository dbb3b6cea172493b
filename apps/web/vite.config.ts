// The playground, one folder of the site that site/build.mjs completes: page, worker, the engine
// (RUBBLE_WASM, or build/wasm of this checkout) and the scenes of scenes/, which are not copied into the
// sources. Everything has a relative address: the site works in any folder of any server.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const wasm = resolve(root, process.env['RUBBLE_WASM'] ?? 'build/wasm/rubble.wasm');
const site = resolve(root, process.env['RUBBLE_SITE'] ?? 'build/web/site/play');

function sceneFiles(): string[] {
    return readdirSync(join(root, 'scenes')).filter((name) => name.endsWith('.json'));
}

/** What the site is made of, and the terms of that: bundlers leave out notices that licenses want kept. */
function notices(): string {
    const parts: [string, string][] = [
        ['Rubble', join(root, 'LICENSE')],
        ['three.js', join(here, 'node_modules/three/LICENSE')],
        ['wasi-libc, inside of rubble.wasm', '/usr/share/doc/wasi-libc/copyright'],
    ];
    const found = parts.filter(([, file]) => existsSync(file));
    const texts = found.map(([name, file]) => `==== ${name} ====\n\n${readFileSync(file, 'utf8').trim()}\n`);
    return texts.join('\n\n');
}

/** Path under the site to the file that it is, or undefined. */
function engineFile(url: string): string | undefined {
    const path = url.split('?')[0]!;
    if (path.endsWith('/rubble.wasm')) {
        return wasm;
    }
    const scene = /\/scenes\/([a-z0-9_]+\.json)$/.exec(path)?.[1];
    const there = scene !== undefined && existsSync(join(root, 'scenes', scene));
    return there ? join(root, 'scenes', scene) : undefined;
}

function engine(): Plugin {
    return {
        name: 'rubble-engine',
        configureServer(server) {
            server.middlewares.use((request, response, next) => {
                if (request.url?.endsWith('/licenses.txt') === true) {
                    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
                    response.end(notices());
                    return;
                }
                const file = engineFile(request.url ?? '');
                if (file === undefined || !existsSync(file)) {
                    next();
                    return;
                }
                const type = file.endsWith('.wasm') ? 'application/wasm' : 'application/json';
                response.setHeader('Content-Type', type);
                response.end(readFileSync(file));
            });
        },
        async closeBundle() {
            mkdirSync(join(site, 'scenes'), { recursive: true });
            writeFileSync(join(site, 'licenses.txt'), notices());
            await copyFile(wasm, join(site, 'rubble.wasm'));
            const copy = (name: string): Promise<void> =>
                copyFile(join(root, 'scenes', name), join(site, 'scenes', name));
            await Promise.all(sceneFiles().map(copy));
        },
    };
}

export default defineConfig({
    root: here,
    base: './',
    publicDir: false,
    plugins: [engine()],
    worker: { format: 'es' },
    build: { outDir: site, emptyOutDir: true, target: 'es2022', assetsDir: '.', chunkSizeWarningLimit: 1500 },
    server: { host: '127.0.0.1', port: 5178 },
});
