// The playground, one folder of the site that site/build.mjs completes: page, worker, the engine
// (RUBBLE_WASM, or build/wasm of this checkout) and the scenes of scenes/, which are not copied into the
// sources. Everything has a relative address: the site works in any folder of any server.
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
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

/** Path under the site to the file that it is, or undefined. */
function engineFile(url: string): string | undefined {
    const path = url.split('?')[0]!;
    if (path.endsWith('/rubble.wasm')) {
        return wasm;
    }
    const scene = /\/scenes\/([a-z0-9_]+\.json)$/.exec(path)?.[1];
    return scene !== undefined && existsSync(join(root, 'scenes', scene)) ? join(root, 'scenes', scene) : undefined;
}

function engine(): Plugin {
    return {
        name: 'rubble-engine',
        configureServer(server) {
            server.middlewares.use((request, response, next) => {
                const file = engineFile(request.url ?? '');
                if (file === undefined || !existsSync(file)) {
                    next();
                    return;
                }
                response.setHeader('Content-Type', file.endsWith('.wasm') ? 'application/wasm' : 'application/json');
                response.end(readFileSync(file));
            });
        },
        async closeBundle() {
            mkdirSync(join(site, 'scenes'), { recursive: true });
            await copyFile(wasm, join(site, 'rubble.wasm'));
            await Promise.all(sceneFiles().map((name) => copyFile(join(root, 'scenes', name), join(site, 'scenes', name))));
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
