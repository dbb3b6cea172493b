// The frame around every page: banner, navigation, contents, the way on. Plain HTML that works without
// scripts; site.js adds search, the menu of narrow screens, and the playground.

import { escapeHtml, relativeUrl } from './text.mjs';

// The shards of the playground's mark.
const SHARDS = 'M4 9 17 3l2 11-8 4zM21 4l8 9-5 9-4-8zM3 14l7 6 1 9-8-6zM13 19l6-3 4 8-5 6-4-2z';
const LOGO =
    '<svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">' +
    `<path fill="currentColor" d="${SHARDS}"/></svg>`;

function navigationHtml(groups, url) {
    const entry = ({ url: target, title, children = [] }) => {
        const current = target === url ? ' aria-current="page"' : '';
        // The headers are listed while one is read, not on all pages.
        const open = children.length && url.startsWith('api/');
        const below = open ? `\n<ul>\n${children.map(entry).join('\n')}\n</ul>` : '';
        return `<li><a href="${relativeUrl(url, target)}"${current}>${escapeHtml(title)}</a>${below}</li>`;
    };
    return groups
        .map(({ title, entries }) => {
            const children = entries.map(entry).join('\n');
            return `<section><h2>${escapeHtml(title)}</h2>\n<ul>\n${children}\n</ul></section>`;
        })
        .join('\n');
}

function contentsHtml(headings) {
    const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
    if (shown.length < 3) {
        return '';
    }
    const lines = shown.map(
        ({ depth, id, html }) => `<li class="depth-${depth}"><a href="#${id}">${html}</a></li>`,
    );
    return (
        `<nav class="contents" aria-labelledby="contents-title"><h2 id="contents-title">On this page</h2>\n` +
        `<ul>\n${lines.join('\n')}\n</ul></nav>`
    );
}

function wayOn(url, previous, next) {
    if (!previous && !next) {
        return '';
    }
    const link = (page, rel, word) => {
        const address = page && relativeUrl(url, page.url);
        const text = page && `<span>${word}</span> ${escapeHtml(page.title)}`;
        return page ? `<a rel="${rel}" href="${address}">${text}</a>` : '<span></span>';
    };
    const links = link(previous, 'prev', 'Previous') + link(next, 'next', 'Next');
    return `<nav class="way-on" aria-label="Previous and next page">${links}</nav>`;
}

function headHtml(page) {
    const asset = (name) => relativeUrl(page.url, name);
    const title =
        page.url === 'index.html' ? 'Rubble: brittle fracture in real time' : `${page.title} - Rubble`;
    return (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
        `<title>${escapeHtml(title)}</title>\n` +
        `<meta name="description" content="${escapeHtml(page.description)}">\n` +
        '<meta name="color-scheme" content="light dark">\n' +
        `<link rel="icon" href="${asset('assets/icon.svg')}" type="image/svg+xml">\n` +
        `<link rel="stylesheet" href="${asset('assets/site.css')}">\n` +
        `<link rel="stylesheet" href="${asset('assets/pages.css')}">\n` +
        `<script src="${asset('assets/site.js')}" defer></script>`
    );
}

function bannerHtml(page) {
    const to = (target) => relativeUrl(page.url, target);
    return `<header class="banner">
<button class="menu" type="button" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>
<a class="home" href="${to('index.html')}">${LOGO}<span>Rubble</span></a>
<nav class="top" aria-label="Main"><a href="${to('docs/overview.html')}">Guide</a>
<a href="${to('api/index.html')}">API</a> <a href="${to('gallery/index.html')}">Gallery</a>
<a class="play" href="${to('play/index.html')}">Playground</a></nav>
<form class="search" role="search" data-root="${to('')}" hidden>
<label class="hidden" for="search">Search</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox"
aria-expanded="false" aria-controls="search-results" aria-autocomplete="list">
<ul id="search-results" role="listbox" aria-label="Results" hidden></ul></form>
</header>`;
}

/** A whole page. page: { url, title, description, html, headings, previous, next, wide }. */
export function renderPage(page, groups) {
    const contents = page.wide || page.front ? '' : contentsHtml(page.headings);
    return `<!doctype html>
<html lang="en">
<head>
${headHtml(page)}
</head>
<body class="${page.front ? 'front' : page.wide ? 'wide' : 'text'}">
<a class="skip" href="#main">Skip to the text</a>
${bannerHtml(page)}
<div class="frame">
<nav id="navigation" class="navigation" aria-label="All pages">
${navigationHtml(groups, page.url)}
</nav>
<main id="main">
<article>
${page.html}</article>
${wayOn(page.url, page.previous, page.next)}
<footer><p>Rubble ${escapeHtml(page.version)}. MIT licence.
Made from the sources by <code>make web</code>.</p></footer>
</main>
${contents}
</div>
</body>
</html>
`;
}
