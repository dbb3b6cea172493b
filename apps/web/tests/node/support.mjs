// What the tests share: where things are, a session without a worker, and scenes.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
export const nativeTool = process.env.RUBBLE_TOOL ?? join(root, 'build/release/apps/rubble/rubble');
export const wasmPath = process.env.RUBBLE_WASM ?? join(root, 'build/wasm/rubble.wasm');
export const compiled = process.env.RUBBLE_ENGINE ?? join(root, 'build/web/engine');

/** A module of src/engine as it was compiled. */
export function enginePath(name) {
    return pathToFileURL(join(compiled, name)).href;
}

let compiledModule;

/** The engine, compiled once for all tests of a file. */
export function wasmModule() {
    compiledModule ??= new WebAssembly.Module(readFileSync(wasmPath));
    return compiledModule;
}

export function scenePath(name) {
    return join(root, 'scenes', `${name}.json`);
}

/** A ball that breaks a plate of scenes/plates.json. */
export const plateBreaker = {
    kind: 'throw',
    origin: [0.307, 0.8, 2],
    velocity: [0, 1, -12],
    radius: 0.06,
    material: 'steel',
};

export function readScene(name) {
    return readFileSync(scenePath(name), 'utf8');
}

const { Session } = await import(enginePath('session.js'));

/** A session with a clock that is wound by hand: `wait(ms)` lets time pass, and what is due then is called.
 * Transferred buffers are really transferred. */
export class TestSession {
    reports = [];
    time = 0;
    calls = [];

    constructor(options = {}) {
        this.session = new Session(
            {
                post: (report, transfer) => this.reports.push(structuredClone(report, { transfer })),
                now: () => this.time,
                later: (call, milliseconds) => this.calls.push({ call, at: this.time + milliseconds }),
            },
            { log: () => {}, ...options },
        );
    }

    static async started(options) {
        const session = new TestSession(options);
        await session.send({ kind: 'start', module: wasmModule(), wasmBytes: 1 });
        return session;
    }

    static async loaded(scene, options) {
        const session = await TestSession.started(options);
        await session.load(scene);
        return session;
    }

    /** Send a command and return the reports that it led to. */
    async send(command) {
        const before = this.reports.length;
        await this.session.take(command);
        return this.reports.slice(before);
    }

    load(scene, extra = {}) {
        const source = { name: `${scene}.json`, text: readScene(scene) };
        return this.send({ kind: 'load', id: 1, scene: source, ...extra });
    }

    step(count) {
        return this.send({ kind: 'step', count });
    }

    async wait(milliseconds) {
        this.time += milliseconds;
        const due = this.calls.filter(({ at }) => at <= this.time);
        this.calls = this.calls.filter(({ at }) => at > this.time);
        due.forEach(({ call }) => call());
        await this.session.queue;
    }

    all(kind) {
        return this.reports.filter((report) => report.kind === kind);
    }

    last(kind) {
        return this.all(kind).at(-1);
    }
}
