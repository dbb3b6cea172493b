// The front page: what Rubble is, the playground, and the ways in. The text is front.html; what stands
// between double braces there is a section of the README, so that commands and code are written once.

import { readFileSync } from 'node:fs';
import { renderMarkdown } from './markdown.mjs';

const TEMPLATE = new URL('front.html', import.meta.url);
const PATTERNS = ['radial', 'clustered', 'voronoi', 'splinters', 'bricks', 'slabs', 'planes', 'hole'];

/** The part of a text below one of its headings of the second level. */
export function sectionOf(markdown, title) {
    const parts = markdown.split(/^## /m).filter((part) => part.split('\n')[0].trim() === title);
    if (parts.length !== 1) {
        throw new Error(`README.md: expected one section "${title}", found ${parts.length}`);
    }
    return parts[0].slice(parts[0].indexOf('\n') + 1);
}

function patternList() {
    const lines = PATTERNS.map((name) => {
        const image = `<img src="docs/images/pattern_${name}.png" alt="A body cut by the pattern ${name}" loading="lazy">`;
        return `<li>${image}<span>${name}</span></li>`;
    });
    return `<ul class="patterns">\n${lines.join('\n')}\n</ul>`;
}

/** The page at the root of the site. */
export function frontPage(readme, linkOf) {
    const fill = (name) =>
        name === 'patterns' ? patternList() : renderMarkdown(sectionOf(readme, name), { linkOf }).html;
    const html = readFileSync(TEMPLATE, 'utf8').replace(/\{\{(.*?)\}\}/g, (_, name) => fill(name));
    const description =
        'A brittle-fracture physics engine in C17: a library, a command-line tool, and a playground in the browser.';
    return { url: 'index.html', title: 'Rubble', description, html, headings: [], front: true };
}
