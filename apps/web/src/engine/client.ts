// The page's end of the line: starts the worker, sends commands, hands out reports. The engine is compiled
// once; a worker that died is replaced by another one with start().
import type { Command, Report } from './protocol.ts';

/** A command on its way, without the number that request() gives it. */
type WithoutId<T> = T extends { id: number } ? Omit<T, 'id'> : never;
export type Request = WithoutId<Command>;

interface Waiting {
    resolve: (report: Report) => void;
    reject: (error: Error) => void;
}

export class EngineClient {
    /** Every report but the answers of requests. */
    onReport: (report: Report) => void = () => {};
    private worker: Worker | undefined;
    private module: WebAssembly.Module | undefined;
    private wasmBytes = 0;
    private nextId = 1;
    private readonly waiting = new Map<number, Waiting>();

    constructor(private readonly wasmUrl: string | URL) {}

    /** Compile the engine if that was not done yet, and start a worker; the old one, if any, is given up. */
    async start(): Promise<void> {
        this.stop();
        if (this.module === undefined) {
            await this.compile();
        }
        const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
        this.worker = worker;
        worker.onmessage = (event: MessageEvent<Report>) => this.take(event.data);
        worker.onerror = ({ message }) =>
            this.take({ kind: 'fatal', message: message || 'the worker could not be started' });
        this.send({ kind: 'start', module: this.module!, wasmBytes: this.wasmBytes });
    }

    stop(): void {
        this.worker?.terminate();
        this.worker = undefined;
        this.failAll('the engine was stopped');
    }

    send(command: Command, transfer: Transferable[] = []): void {
        this.worker?.postMessage(command, transfer);
    }

    /** Send a command that is answered, and wait for the answer; rejects with the message of 'failed' or
     * 'fatal'. */
    request(command: Request, transfer: Transferable[] = []): Promise<Report> {
        const id = this.nextId++;
        return new Promise((resolve, reject) => {
            if (this.worker === undefined) {
                reject(new Error('the engine is not running'));
                return;
            }
            this.waiting.set(id, { resolve, reject });
            this.send({ ...command, id } as Command, transfer);
        });
    }

    private async compile(): Promise<void> {
        const response = await fetch(this.wasmUrl);
        if (!response.ok) {
            throw new Error(`the engine could not be fetched: ${response.status} ${response.statusText}`);
        }
        const bytes = await response.arrayBuffer();
        this.wasmBytes = bytes.byteLength;
        this.module = await WebAssembly.compile(bytes);
    }

    private take(report: Report): void {
        if (report.kind === 'fatal') {
            this.worker?.terminate();
            this.worker = undefined;
            this.failAll(report.message);
        }
        const waiting = 'id' in report ? this.waiting.get(report.id) : undefined;
        if (waiting !== undefined && 'id' in report) {
            this.waiting.delete(report.id);
            if (report.kind === 'failed') {
                waiting.reject(new Error(report.message));
            } else {
                waiting.resolve(report);
            }
        }
        if (waiting === undefined || report.kind === 'loaded') {
            this.onReport(report);
        }
    }

    private failAll(message: string): void {
        for (const { reject } of this.waiting.values()) {
            reject(new Error(message));
        }
        this.waiting.clear();
    }
}
