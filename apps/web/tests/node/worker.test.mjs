// The session in a worker of its own, as the page has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { plateBreaker, readScene, wasmModule } from './support.mjs';

/** Reports of a worker, to be waited for. */
class Line {
    waiting = [];

    constructor() {
        this.worker = new Worker(new URL('./worker-host.mjs', import.meta.url));
        this.worker.on('message', (report) => {
            const answered = this.waiting.filter(({ wanted }) => wanted(report));
            this.waiting = this.waiting.filter((one) => !answered.includes(one));
            answered.forEach(({ resolve }) => resolve(report));
        });
    }

    next(wanted) {
        return new Promise((resolve) => this.waiting.push({ wanted, resolve }));
    }

    async ask(command, kind, transfer = []) {
        const answer = this.next((report) => report.kind === kind);
        this.worker.postMessage(command, transfer);
        return answer;
    }
}

test('a worker plays a scene by its own clock while it is talked to', async () => {
    const line = new Line();
    const ready = await line.ask({ kind: 'start', module: wasmModule(), wasmBytes: 123 }, 'ready');
    assert.equal(ready.wasmBytes, 123);
    const scene = { name: 'plates.json', text: readScene('plates') };
    await line.ask({ kind: 'load', id: 1, scene }, 'loaded');
    line.worker.postMessage(plateBreaker);
    line.worker.postMessage({ kind: 'play', playing: true, speed: 1 });
    const broken = await line.next((report) => report.kind === 'frame' && report.stats.fragments > 0);
    assert.ok(broken.step > 0);
    const exported = await line.ask({ kind: 'export', id: 2, what: 'glb' }, 'exported');
    assert.ok(exported.bytes.byteLength > 10000);
    await line.worker.terminate();
});
