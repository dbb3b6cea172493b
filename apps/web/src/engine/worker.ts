// The worker of the page.
import { Session } from './session.ts';
import type { Command } from './protocol.ts';

/** The part of a worker's global scope that is used here. */
interface Scope {
    postMessage(message: unknown, transfer: Transferable[]): void;
    onmessage: ((event: MessageEvent<Command>) => void) | null;
}

const scope = self as unknown as Scope;
const session = new Session({
    post: (report, transfer) => scope.postMessage(report, transfer),
    now: () => performance.now(),
    later: (call, milliseconds) => void setTimeout(call, milliseconds),
});
scope.onmessage = (event) => void session.take(event.data);
