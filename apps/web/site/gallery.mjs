// The gallery: what `make gallery` left in out/gallery, every scene as a sheet of frames with charts; without
// it a few small stills, rendered now and kept in a folder for the next build.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from './image.mjs';
import { escapeHtml, shorten } from './text.mjs';

// Scenes that are worth a still, and the moment, in seconds, at which they are.
export const STILLS = [
    ['plates', 3.2],
    ['table_25', 2.0],
    ['cylinder_25', 0.4],
    ['wrecking_ball', 2.5],
    ['wine_glass', 0.33],
    ['pillar', 1.0],
    ['statue_35', 0.3],
    ['wall_two_stages', 1.5],
];
const STILL_OPTIONS = ['--size', '640,360', '--samples', '16', '--plain', '--quiet'];

const words = (name) => name.replace(/_/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

function sceneAbout(root, name) {
    const path = join(root, 'scenes', `${name}.json`);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')).about ?? '') : '';
}

/** Pictures that are there already: { name, image, chart }. */
function finished(folder) {
    const files = existsSync(folder) ? readdirSync(folder) : [];
    return files
        .filter((file) => file.endsWith('.png'))
        .sort()
        .map((file) => ({
            name: file.slice(0, -4),
            image: join(folder, file),
            chart: files.includes(`${file.slice(0, -4)}.svg`)
                ? join(folder, `${file.slice(0, -4)}.svg`)
                : undefined,
        }));
}

/** One still, rendered unless the same scene at the same moment was before. */
function still(root, tool, cache, [name, moment]) {
    const scene = join(root, 'scenes', `${name}.json`);
    const key = createHash('sha256')
        .update(readFileSync(scene))
        .update(`${moment} ${STILL_OPTIONS}`)
        .digest('hex');
    const image = join(cache, `${name}-${key.slice(0, 12)}.png`);
    if (!existsSync(image)) {
        const frames = join(cache, `${name}.frames`);
        const time = String(moment);
        const options = ['render', scene, '-o', frames, '--begin', time, '--end', time, ...STILL_OPTIONS];
        const { status, stderr, error } = spawnSync(tool, options, { encoding: 'utf8' });
        if (status !== 0) {
            throw new Error(`gallery: ${tool} could not render ${name}: ${error?.message ?? stderr}`);
        }
        renameSync(join(frames, 'frame_00000.png'), image);
        rmSync(frames, { recursive: true });
    }
    return { name, image, chart: undefined };
}

/**
 * The pictures to show. `tool` is the built command-line tool; `cache` a folder for stills.
 * Throws when there is neither a gallery nor a tool.
 */
export function galleryPictures(root, tool, cache) {
    const whole = finished(join(root, 'out', 'gallery'));
    if (whole.length) {
        return whole;
    }
    if (!existsSync(tool)) {
        throw new Error(`gallery: no out/gallery, and no tool to render stills at ${tool}: run "make" first`);
    }
    mkdirSync(cache, { recursive: true });
    return STILLS.map((entry) => still(root, tool, cache, entry));
}

function figureHtml(root, { name, image, chart }) {
    const about = sceneAbout(root, name);
    const size = imageSize(image);
    const attributes = size ? ` width="${size.width}" height="${size.height}"` : '';
    const alt = escapeHtml(`${words(name)}: ${shorten(about || 'a scene of Rubble', 120)}`);
    const picture = `<a href="${name}.png"><img src="${name}.png"${attributes} loading="lazy" alt="${alt}"></a>`;
    const command = `<code>rubble render scenes/${name}.json -o ${name}.mp4</code>`;
    const charts = chart ? ` <a href="${name}.svg">Charts</a>` : '';
    const caption = `<strong>${words(name)}</strong> ${escapeHtml(about)} ${command}${charts}`;
    return `<figure id="${name}">${picture}\n<figcaption>${caption}</figcaption></figure>\n`;
}

/** Copy the pictures into the site and make the page. */
export function galleryPage(root, pictures, out) {
    const folder = join(out, 'gallery');
    mkdirSync(folder, { recursive: true });
    const figures = pictures.map((picture) => {
        copyFileSync(picture.image, join(folder, `${picture.name}.png`));
        if (picture.chart) {
            copyFileSync(picture.chart, join(folder, `${picture.name}.svg`));
        }
        return figureHtml(root, picture);
    });
    const html =
        '<h1>Gallery</h1>\n<p>Scenes that come with Rubble, simulated and ray traced by <code>rubble render</code>: ' +
        'no window, no graphics card, the same pixels for any number of threads. <code>make gallery</code> draws ' +
        `every scene with its charts.</p>\n<div class="gallery">\n${figures.join('')}</div>\n`;
    const description = 'Scenes of Rubble, ray traced by its command-line tool.';
    return { url: 'gallery/index.html', title: 'Gallery', description, html, headings: [], wide: true };
}
