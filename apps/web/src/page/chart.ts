// Three strips of the last seconds on one small canvas: milliseconds per stage, bodies and contacts, energy.
import type { Stats } from '../engine/protocol.ts';

const length = 180;
/** Told apart by lightness too, for those who see colours otherwise. */
const stageColors = ['#7fa3b8', '#2f5d78', '#9c3a22', '#d9a441', '#4c7a57', '#c98a6b', '#5a4a6f', '#8d8780'];

interface Sample {
    stages: number[];
    bodies: number;
    contacts: number;
    kinetic: number;
    potential: number;
    dissipated: number;
}

export class Chart {
    stageNames: string[] = [];
    private samples: Sample[] = [];
    private base = 0;

    constructor(private readonly canvas: HTMLCanvasElement) {}

    clear(): void {
        this.samples = [];
    }

    add(stats: Stats): void {
        const { kinetic, potential, dissipated } = stats.energy;
        if (this.samples.length === 0) {
            this.base = potential;
        }
        this.base = Math.min(this.base, potential);
        this.samples.push({
            stages: stats.stages,
            bodies: stats.bodies,
            contacts: stats.contacts,
            kinetic,
            potential,
            dissipated,
        });
        if (this.samples.length > length) {
            this.samples.shift();
        }
    }

    draw(): void {
        const ratio = Math.min(2, devicePixelRatio);
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        if (width === 0) {
            return;
        }
        if (
            this.canvas.width !== Math.round(width * ratio) ||
            this.canvas.height !== Math.round(height * ratio)
        ) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        const context = this.canvas.getContext('2d')!;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        context.font = '11px system-ui, "Liberation Sans", sans-serif';
        const row = (height - 8) / 3;
        this.drawStages(context, 0, row, width);
        this.drawCounts(context, row + 4, row, width);
        this.drawEnergy(context, 2 * (row + 4), row, width);
    }

    private drawStages(context: CanvasRenderingContext2D, top: number, height: number, width: number): void {
        const totals = this.samples.map((sample) => sum(sample.stages));
        const most = Math.max(1, ...totals);
        const plot = frame(context, top, height, width);
        const stages = Math.max(0, ...this.samples.map((sample) => sample.stages.length));
        const below = new Array<number>(this.samples.length).fill(0);
        for (let stage = 0; stage < stages; ++stage) {
            const bottom = below.slice();
            this.samples.forEach((sample, i) => (below[i]! += sample.stages[stage] ?? 0));
            context.fillStyle = stageColors[stage % stageColors.length]!;
            fillBetween(context, bottom, below, (v) => plot.y(v / most), plot.x);
        }
        const last = this.samples.at(-1);
        const slowest = last === undefined ? -1 : last.stages.indexOf(Math.max(...last.stages));
        const name = this.stageNames[slowest];
        label(context, top, width, 'ms per stage', [
            [`${(totals.at(-1) ?? 0).toFixed(1)}${name === undefined ? '' : `, most ${name}`}`, '#1c2226'],
        ]);
    }

    private drawCounts(context: CanvasRenderingContext2D, top: number, height: number, width: number): void {
        const plot = frame(context, top, height, width);
        const series = (pick: (sample: Sample) => number, color: string): void => {
            const values = this.samples.map(pick);
            line(context, values, plot, Math.max(1, ...values), 0, color);
        };
        series((sample) => sample.contacts, '#2f5d78');
        series((sample) => sample.bodies, '#9c3a22');
        label(context, top, width, '', [
            ['bodies', '#9c3a22'],
            ['contacts', '#2f5d78'],
        ]);
    }

    private drawEnergy(context: CanvasRenderingContext2D, top: number, height: number, width: number): void {
        const plot = frame(context, top, height, width);
        const total = this.samples.map((sample) => sample.kinetic + sample.potential - this.base);
        const kinetic = this.samples.map((sample) => sample.kinetic);
        const most = Math.max(1e-9, ...total);
        const zero = new Array<number>(total.length).fill(0);
        context.fillStyle = '#d9a44166';
        fillBetween(context, zero, total, (v) => plot.y(v / most), plot.x);
        context.fillStyle = '#9c3a22bb';
        fillBetween(context, zero, kinetic, (v) => plot.y(v / most), plot.x);
        label(context, top, width, '', [
            ['motion', '#9c3a22'],
            ['height', '#7a5a12'],
            [joules(total.at(-1) ?? 0), '#1c2226'],
        ]);
    }
}

interface Plot {
    x: (i: number) => number;
    y: (part: number) => number;
}

function frame(context: CanvasRenderingContext2D, top: number, height: number, width: number): Plot {
    context.fillStyle = '#1c22260a';
    context.fillRect(0, top, width, height);
    const usable = height - 14;
    return {
        x: (i) => (i * width) / (length - 1),
        y: (part) => top + height - usable * Math.min(1, Math.max(0, part)),
    };
}

function fillBetween(
    context: CanvasRenderingContext2D,
    low: number[],
    high: number[],
    y: (v: number) => number,
    x: (i: number) => number,
): void {
    if (high.length < 2) {
        return;
    }
    context.beginPath();
    high.forEach((v, i) => context.lineTo(x(i), y(v)));
    for (let i = low.length - 1; i >= 0; --i) {
        context.lineTo(x(i), y(low[i]!));
    }
    context.fill();
}

function line(
    context: CanvasRenderingContext2D,
    values: number[],
    plot: Plot,
    most: number,
    least: number,
    color: string,
): void {
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.beginPath();
    values.forEach((v, i) => context.lineTo(plot.x(i), plot.y((v - least) / (most - least)) - 1));
    context.stroke();
}

function label(
    context: CanvasRenderingContext2D,
    top: number,
    width: number,
    left: string,
    right: [string, string][],
): void {
    context.textBaseline = 'top';
    context.textAlign = 'left';
    context.fillStyle = '#4a545b';
    let at = 4;
    if (left !== '') {
        context.fillText(left, at, top + 2);
        context.textAlign = 'right';
        context.fillStyle = right[0]![1];
        context.fillText(right[0]![0], width - 4, top + 2);
        return;
    }
    for (const [text, color] of right) {
        context.fillStyle = color;
        context.fillText(text, at, top + 2);
        at += context.measureText(text).width + 10;
    }
}

function sum(values: number[]): number {
    return values.reduce((a, b) => a + b, 0);
}

export function joules(value: number): string {
    const size = Math.abs(value);
    return size >= 1e6
        ? `${(value / 1e6).toFixed(1)} MJ`
        : size >= 1e3
          ? `${(value / 1e3).toFixed(1)} kJ`
          : `${value.toFixed(size < 10 ? 2 : 0)} J`;
}
