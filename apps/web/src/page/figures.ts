// Numbers and strips at the lower left. Written a few times a second: nobody reads faster, and layout costs
// time.
import type { Report } from '../engine/protocol.ts';
import type { Chart } from './chart.ts';
import { element } from './settings.ts';

type FrameReport = Extract<Report, { kind: 'frame' }>;

export class Figures {
    hash = '';
    private last: { step: number; time: number; stats: FrameReport['stats'] } | undefined;
    private stale = false;
    private written = 0;
    private slow = 0;

    constructor(private readonly chart: Chart) {}

    ready(stages: string[]): void {
        this.chart.stageNames = stages;
    }

    clear(): void {
        this.chart.clear();
        this.slow = 0;
    }

    take(report: FrameReport): void {
        this.last = { step: report.step, time: report.time, stats: report.stats };
        this.hash = report.hash;
        this.chart.add(report.stats);
        this.slow += (report.stats.stepMs - this.slow) * 0.2;
        this.stale = true;
    }

    draw(): void {
        const now = performance.now();
        if (!this.stale || this.last === undefined || now - this.written < 120) {
            return;
        }
        this.written = now;
        this.stale = false;
        const { stats, time } = this.last;
        const texts: Record<string, string> = {
            'figure-bodies': stats.bodies.toLocaleString('en'),
            'figure-fragments': stats.fragments.toLocaleString('en'),
            'figure-contacts': stats.contacts.toLocaleString('en'),
            'figure-step': `${this.slow.toFixed(this.slow < 10 ? 1 : 0)} ms`,
            'figures-line': `${stats.bodies} bodies, ${this.slow.toFixed(1)} ms`,
            hash: this.hash,
            time: `${time.toFixed(2)} s`,
        };
        for (const [id, text] of Object.entries(texts)) {
            element(id).textContent = text;
        }
        this.chart.draw();
    }
}
