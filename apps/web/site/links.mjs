// Checks a finished site: links and images lead to files that are there, fragments to places in them, nothing
// is fetched from elsewhere, no address begins at the root of a host: the site may be hosted in any folder.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

const decode = (text) => text.replace(/&amp;/g, '&').replace(/&quot;/g, '"');

/** What a page refers to, and the places that it has. Code in <pre> is escaped, so that tags are tags. */
export function scanPage(html) {
    const body = html.replace(/<!--[\s\S]*?-->/g, '').replace(/(<script\b[^>]*>)[\s\S]*?<\/script>/g, '$1');
    const references = [];
    const ids = [];
    for (const [, tag, attributes] of body.matchAll(/<([a-z][a-z0-9]*)\b([^>]*)>/gi)) {
        for (const [, name, value] of attributes.matchAll(
            /\b(href|src|srcset|poster|data-src|action|id)="([^"]*)"/g,
        )) {
            if (name === 'id') {
                ids.push(value);
            } else {
                references.push({ tag, name, target: decode(value) });
            }
        }
    }
    return { references, ids };
}

const isExternal = (target) => /^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//');

function checkReference(page, { tag, target }, root, pages, skip) {
    if (isExternal(target)) {
        return tag === 'a' || target.startsWith('data:') ? null : `${tag} fetches from elsewhere: ${target}`;
    }
    if (target.startsWith('/')) {
        return `begins at the root of the host: ${target}`;
    }
    const [path, fragment] = target.split('#');
    let goal = path ? posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(path))) : page;
    if (skip.some((folder) => goal.startsWith(folder))) {
        return null;
    }
    if (goal.startsWith('..')) {
        return `leads out of the site: ${target}`;
    }
    if (goal.endsWith('/') || (existsSync(join(root, goal)) && statSync(join(root, goal)).isDirectory())) {
        goal = posix.join(goal, 'index.html');
    }
    if (!existsSync(join(root, goal))) {
        return `leads nowhere: ${target}`;
    }
    if (fragment && pages.has(goal) && !pages.get(goal).ids.includes(decodeURIComponent(fragment))) {
        return `no such place in the page: ${target}`;
    }
    return null;
}

/**
 * All that is wrong with the links of the site in a folder, one line each. Pages below one of `skip` (such as
 * "play/") are not looked at, and links to them are taken to be good.
 */
export function checkLinks(root, skip = []) {
    const pages = new Map();
    for (const file of filesBelow(root).filter((path) => path.endsWith('.html'))) {
        const page = relative(root, file).split(sep).join('/');
        if (!skip.some((folder) => page.startsWith(folder))) {
            pages.set(page, scanPage(readFileSync(file, 'utf8')));
        }
    }
    const problems = [];
    for (const [page, { references, ids }] of pages) {
        for (const id of new Set(ids.filter((name, index) => ids.indexOf(name) !== index))) {
            problems.push(`${page}: two places are called ${id}`);
        }
        for (const reference of references) {
            const problem = checkReference(page, reference, root, pages, skip);
            if (problem) {
                problems.push(`${page}: ${problem}`);
            }
        }
    }
    return problems;
}
