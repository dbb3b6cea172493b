// What src/engine/worker.ts is in a browser, for threads of node.
import { parentPort } from 'node:worker_threads';
import { enginePath } from './support.mjs';

const { Session } = await import(enginePath('session.js'));
const session = new Session({
    post: (report, transfer) => parentPort.postMessage(report, transfer),
    now: () => performance.now(),
    later: (call, milliseconds) => setTimeout(call, milliseconds),
});
parentPort.on('message', (command) => session.take(command));
