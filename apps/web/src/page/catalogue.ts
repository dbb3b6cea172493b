// The scenes that the page offers: files of scenes/, which tests and benchmarks use too.
import type { Ball } from './aim.ts';

export interface Entry {
    file: string;
    name: string;
    about: string;
    ball: Ball;
    /** Whether what the file has planned happens; without, the plates are left to the visitor. */
    events: boolean;
    /** Colours of its ceramic, where the usual ones do not suit it. */
    glazes?: string[];
    /** Strokes of its sign, in a square of 34. */
    sign: string;
}

const small: Ball = { speed: 9, radius: 0.035, material: 'steel' };
const large: Ball = { speed: 14, radius: 0.12, material: 'steel' };

export const catalogue: Entry[] = [
    {
        file: 'plates',
        name: 'Plates on a shelf',
        about: 'Fifteen plates. Throw balls at them.',
        ball: small,
        events: false,
        sign: 'M3 30h28M3 18h28M5 4v26M29 4v26M12 12a4 5 0 1 0 .1 0M22 12a4 5 0 1 0 .1 0M10 29l3-5 4 2 3-4 4 7',
    },
    {
        file: 'wrecking_ball',
        name: 'Wall and wrecking ball',
        about: 'A steel ball of one ton on a rope collides with a wall of bricks.',
        ball: large,
        events: true,
        sign: 'M3 3l13 11M16 14a6 6 0 1 0 .1 0M22 31V9h9v22zM22 16h9M22 24h9M26 9v7M27 16v8M25 24v7',
    },
    {
        file: 'piggy_bank',
        name: 'Piggy bank',
        about: 'It falls and breaks. The coins fall out.',
        ball: small,
        events: true,
        glazes: ['#e0848f'],
        sign: 'M6 18c0-6 5-9 11-9s11 4 11 9-4 9-11 9S6 24 6 18zM28 16h3v5h-3M11 26v4M23 26v4M14 12h6M10 17h.1M8 10l3 2',
    },
    {
        file: 'wine_glass',
        name: 'Wine glass',
        about: 'Glass breaks in radial cracks and falls off the table.',
        ball: { speed: 6, radius: 0.02, material: 'steel' },
        events: true,
        sign: 'M10 4h14c1 8-2 13-7 13S9 12 10 4zM17 17v11M11 29h12M12 9l4 3 3-3 4 2',
    },
    {
        file: 'statue_35',
        name: 'A statue',
        about: 'A ball breaks it into 35 pieces at the impact point.',
        ball: small,
        events: true,
        sign: 'M17 4a4 4 0 1 0 .1 0M11 26c-1-8 2-13 6-13s7 5 6 13M9 30h16v-4H9zM13 20l4-3 2 4 4-2',
    },
    {
        file: 'bowl_of_statues',
        name: 'Bowl of statues',
        about: 'Statues and rings interlock: no shape is convex.',
        ball: small,
        events: true,
        sign: 'M4 16c0 8 6 13 13 13s13-5 13-13M12 5a3 3 0 1 0 .1 0M9 16l3-5 4 5M22 8a4 4 0 1 0 .1 0M22 10.5a1.5 1.5 0 1 0 .1 0',
    },
    {
        file: 'table_100',
        name: 'Table of balls',
        about: 'A hundred balls shatter on a table, then the table breaks.',
        ball: large,
        events: true,
        sign: 'M3 20h28v4H3zM7 24v7M27 24v7M8 13a3 3 0 1 0 .1 0M17 13a3 3 0 1 0 .1 0M26 13a3 3 0 1 0 .1 0M17 2a3 3 0 1 0 .1 0',
    },
    {
        file: 'pile_1000',
        name: 'Rubble pile',
        about: 'A thousand stones fall between four walls.',
        ball: { speed: 18, radius: 0.35, material: 'steel' },
        events: true,
        sign: 'M3 30l4-6 6 1 2 5zM14 30l3-7 6 1 2 6zM25 30l1-5 4 2 1 3zM9 23l3-6 6 2-1 4zM18 22l3-6 5 4-2 4zM14 16l3-6 4 4-2 3z',
    },
    {
        file: 'wall_three_hits',
        name: 'Three walls',
        about: 'Each wall breaks at the impact point; the last one does not break.',
        ball: large,
        events: true,
        sign: 'M3 8h8v22H3zM13 8h8v22h-8zM23 8h8v22h-8zM5 16l4 2-2 4M15 20l4-3M25 14l4 4-3 5',
    },
    {
        file: 'pillar',
        name: 'Pillar',
        about: 'A stone pillar falls over and breaks into drums.',
        ball: large,
        events: true,
        sign: 'M11 4h12v4H11zM12 8h10v18H12zM9 26h16v4H9zM12 14l4 2 6-2M12 20l5 2 5-2',
    },
    {
        file: 'stress_brick',
        name: 'Brick, by stress',
        about: 'No pattern: the stress in tetrahedra decides where it cracks.',
        ball: small,
        events: true,
        sign: 'M4 12l14-5 12 5-14 6zM4 12v11l12 6V18M30 12v11l-14 6M9 20l5-2 4 6',
    },
    {
        file: 'dominoes',
        name: 'Dominoes',
        about: 'Forty-eight dominoes in two curves.',
        ball: small,
        events: true,
        sign: 'M5 30V14h4v16zM12 30l2-16 4 .5L16 30zM19 30l6-14 4 2-6 12z',
    },
];

export function entryOf(file: string): Entry | undefined {
    return catalogue.find((entry) => entry.file === file);
}
