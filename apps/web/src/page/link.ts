// What is shared by a link: scene, seed, changes to the scene, the ball. Only what differs from the scene's
// own is written.
import type { Ball } from './aim.ts';
import type { Edits } from './edits.ts';

export interface Shared {
    scene: string;
    seed?: number;
    edits: Edits;
    ball: Partial<Ball>;
}

function number(text: string | null, low: number, high: number): number | undefined {
    const value = text === null || text === '' ? NaN : Number(text);
    return Number.isFinite(value) && value >= low && value <= high ? value : undefined;
}

/** Anything may stand in a link: what makes no sense is left out. */
export function readLink(fragment: string, scenes: string[], materials: string[]): Shared {
    const given = new URLSearchParams(fragment.replace(/^#/, ''));
    const oneOf = <T extends string>(key: string, values: readonly T[]): T | undefined =>
        values.find((value) => value === given.get(key));
    const edits: Edits = {
        method: oneOf('breaker', ['prescored', 'stress', 'none'] as const),
        pattern: oneOf('pattern', [
            'radial',
            'voronoi',
            'clustered',
            'slabs',
            'splinters',
            'bricks',
            'planes',
        ]),
        pieces: integer(number(given.get('pieces'), 1, 1000)),
        material: oneOf('material', materials),
        strength: number(given.get('strength'), 0.001, 1000),
        withoutEvents: given.get('events') === null ? undefined : given.get('events') === '0',
    };
    const ball: Partial<Ball> = {
        speed: number(given.get('speed'), 0.1, 300),
        radius: number(given.get('radius'), 0.001, 5),
        material: oneOf('ball', materials),
    };
    return {
        scene: oneOf('scene', scenes) ?? scenes[0]!,
        seed: integer(number(given.get('seed'), 0, 4294967295)),
        edits,
        ball,
    };
}

export function writeLink(shared: Shared): string {
    const out = new URLSearchParams({ scene: shared.scene });
    const { edits, ball } = shared;
    const values: [string, string | number | undefined][] = [
        ['seed', shared.seed],
        ['breaker', edits.method],
        ['pattern', edits.pattern],
        ['pieces', edits.pieces],
        ['material', edits.material],
        ['strength', edits.strength],
        ['events', edits.withoutEvents === undefined ? undefined : edits.withoutEvents ? 0 : 1],
        ['speed', ball.speed],
        ['radius', ball.radius],
        ['ball', ball.material],
    ];
    for (const [key, value] of values) {
        if (value !== undefined) {
            out.set(key, typeof value === 'number' ? String(Number(value.toPrecision(6))) : value);
        }
    }
    return `#${out.toString()}`;
}

function integer(value: number | undefined): number | undefined {
    return value === undefined ? undefined : Math.round(value);
}
