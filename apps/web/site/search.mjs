// What the search field looks through: pages, their headings, names of the API. A script rather than JSON: it
// can be read where pages are opened from a folder, too.

import { shorten } from './text.mjs';

/** [title, where, address from the root] for everything that can be found. */
export function searchEntries(pages, symbols) {
    const entries = [];
    for (const page of pages.filter(({ url }) => !url.startsWith('api/'))) {
        entries.push([page.title, shorten(page.description, 90), page.url]);
        for (const { depth, id, text } of page.headings) {
            if (depth > 1) {
                entries.push([text, page.title, `${page.url}#${id}`]);
            }
        }
    }
    for (const page of pages.filter(({ url }) => url.startsWith('api/'))) {
        entries.push([page.title, shorten(page.description, 90), page.url]);
    }
    for (const [name, { url, doc, header }] of symbols) {
        entries.push([name, shorten(doc.replace(/`/g, ''), 80) || header, url]);
    }
    return entries;
}

export function searchIndex(pages, symbols) {
    return `window.rubbleSearch = ${JSON.stringify(searchEntries(pages, symbols))};\n`;
}
