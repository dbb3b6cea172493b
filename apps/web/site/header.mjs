// Reads a public C header of this repository: what it declares, in its order, with the comments. It knows
// the shape that these headers have, and refuses, with the line, what it does not understand.
//
//   { name, about, items }   about: text of the first `///` block; items in the order of the file:
//   { kind: 'section', title } | { kind: 'note', text }
//   { kind: 'function' | 'macro' | 'callback' | 'opaque', name, code, doc, line }
//   { kind: 'struct' | 'enum', name, code, doc, line, members: [{ code, names, doc } | { note }] }
//
// A comment covers all declarations that follow it without an empty line.

const OPENERS = '([{';
const CLOSERS = ')]}';

/** Raised for what cannot be understood: names file and line. */
export class HeaderError extends Error {
    constructor(name, line, message) {
        super(`${name}:${line}: ${message}`);
        this.line = line;
    }
}

const squeeze = (text) => text.replace(/\s+/g, ' ').trim();

/** The text of a line of comment without its marker; blanks beyond the first stay: formulas are indented. */
const commentText = (line) => line.trim().replace(/^\/\/\/?<? ?/, '');

const joinDoc = (parts) => parts.join('\n').trim();

/** Brackets that are open after a piece of code; comments must be gone. */
function depthAfter(code, depth) {
    for (const character of code) {
        depth += OPENERS.includes(character) ? 1 : CLOSERS.includes(character) ? -1 : 0;
    }
    return depth;
}

/** Split at a separator that is in no brackets. */
export function splitTop(text, separator) {
    const parts = [''];
    let depth = 0;
    for (const character of text) {
        depth = depthAfter(character, depth);
        if (character === separator && depth === 0) {
            parts.push('');
        } else {
            parts[parts.length - 1] += character;
        }
    }
    return parts;
}

/** A line of code and the comment after it. No string of our headers holds two slashes. */
function splitComment(line) {
    const at = line.indexOf('//');
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at)];
}

function memberNames(code) {
    const callback = code.match(/\(\*\s*(\w+)\)/);
    if (callback) {
        return [callback[1]];
    }
    const lastWord = (part) => part.match(/(\w+)\s*(\[[^\]]*\]\s*)*$/)?.[1];
    return splitTop(code.split('=')[0], ',').map(lastWord).filter(Boolean);
}

/** What is between the braces of a struct (members end at `;`) or an enum (at `,`). */
function parseMembers(lines, end, fail) {
    const members = [];
    let code = '';
    let before = [];
    let after = [];
    let last = null;
    const finish = () => {
        const text = squeeze(code);
        if (text) {
            last = { code: text, names: memberNames(text), doc: joinDoc([...before, ...after]) };
            members.push(last);
        }
        code = '';
        before = [];
        after = [];
    };
    const addText = (comment) => {
        const text = commentText(comment);
        if (comment.startsWith('///<')) {
            if (code.trim()) {
                after.push(text);
            } else if (last) {
                last.doc = joinDoc([last.doc, text]);
            } else {
                fail('a comment for what comes before it (///<), but nothing does');
            }
        } else if (comment.startsWith('///')) {
            before.push(text);
        } else {
            members.push({ note: text });
        }
    };
    for (const line of lines) {
        const [text, comment] = splitComment(line);
        const parts = splitTop(code + (code ? '\n' : '') + text, end);
        for (const part of parts.slice(0, -1)) {
            code = part;
            finish();
        }
        code = parts.at(-1);
        if (comment) {
            addText(comment);
        }
    }
    finish();
    return members;
}

/** Reads declarations one after the other; `at` is the line it stands before. */
class Reader {
    constructor(name, text) {
        this.name = name;
        this.lines = text.split('\n');
        this.at = 0;
    }

    fail(message, line = this.at) {
        throw new HeaderError(this.name, line + 1, message);
    }

    /** Lines up to the one where all brackets are closed and the code ends with `;`. */
    declaration() {
        const start = this.at;
        const raw = [];
        let depth = 0;
        for (; this.at < this.lines.length; ++this.at) {
            const line = this.lines[this.at];
            const code = splitComment(line)[0];
            raw.push(line);
            depth = depthAfter(code, depth);
            if (depth === 0 && code.trimEnd().endsWith(';')) {
                ++this.at;
                return { start, raw };
            }
        }
        return this.fail('this declaration has no end', start);
    }

    macro() {
        const start = this.at;
        let line = this.lines[this.at++];
        while (line.endsWith('\\')) {
            line = line.slice(0, -1) + this.lines[this.at++];
        }
        const [code, comment] = splitComment(line);
        return { start, code: squeeze(code), comment };
    }
}

function structOrEnum(reader, doc) {
    const { start, raw } = reader.declaration();
    const [, kind, name] = raw[0].match(/^typedef (struct|enum) (\w+)/);
    const open = raw.findIndex((line) => splitComment(line)[0].includes('{'));
    const close = raw.length - 1;
    const tail = raw[close].match(/^\}\s*(\w+)\s*;/);
    if (open !== 1 || !tail || tail[1] !== name) {
        reader.fail(`expected "typedef ${kind} ${name}", a line with {, members, and "} ${name};"`, start);
    }
    const fail = (message) => reader.fail(message, start);
    const members = parseMembers(raw.slice(open + 1, close), kind === 'enum' ? ',' : ';', fail);
    return { kind, name, code: `typedef ${kind} ${name}`, doc, line: start + 1, members };
}

function simple(reader, kind, pattern, doc) {
    const { start, raw } = reader.declaration();
    const code = squeeze(raw.map((line) => splitComment(line)[0]).join(' '));
    const name = code.match(pattern)?.[1];
    if (!name) {
        reader.fail(`cannot find the name in "${code}"`, start);
    }
    const trailing = raw.map((line) => splitComment(line)[1]).filter((text) => text.startsWith('///<'));
    const own = joinDoc(trailing.map(commentText));
    return { kind, name, code: code.replace(/^RBL_API /, ''), doc: joinDoc([doc, own]), line: start + 1 };
}

/** A function whose few lines are in the header: its declaration is what matters. */
function inlineFunction(reader, doc) {
    const start = reader.at;
    const end = reader.lines.indexOf('}', start);
    const open = reader.lines.indexOf('{', start);
    if (end < 0 || open < 0 || open > end) {
        reader.fail('this function has no end', start);
    }
    reader.at = end + 1;
    const code = squeeze(reader.lines.slice(start, open).join(' ')).replace(/^static inline /, '') + ';';
    return { kind: 'function', name: code.match(/(\w+)\s*\(/)[1], code, doc, line: start + 1 };
}

function macroItem(reader, doc, guard) {
    const { start, code, comment } = reader.macro();
    const name = code.match(/^#define (\w+)/)[1];
    if (name === guard) {
        return null;
    }
    const own = comment.startsWith('///<') ? commentText(comment) : '';
    return { kind: 'macro', name, code, doc: joinDoc([doc, own]), line: start + 1 };
}

const isOpaque = (line) => /^typedef (struct|union) (\w+) \2;/.test(line);

/** One declaration at the reader's place, or null for what is none (include guards, linkage). */
function declarationAt(reader, doc, guard) {
    const line = reader.lines[reader.at];
    if (line.startsWith('#define ')) {
        return macroItem(reader, doc, guard);
    }
    if (/^#/.test(line) || /^RBL_EXTERN_C_(BEGIN|END)$/.test(line)) {
        ++reader.at;
        return null;
    }
    if (isOpaque(line)) {
        return simple(reader, 'opaque', /(\w+);$/, doc);
    }
    if (/^typedef (struct|enum) \w+$/.test(line)) {
        return structOrEnum(reader, doc);
    }
    if (line.startsWith('typedef ')) {
        return simple(reader, 'callback', /(\w+)\(/, doc);
    }
    if (line.startsWith('RBL_API ')) {
        return simple(reader, 'function', /(\w+)\s*\(/, doc);
    }
    if (line.startsWith('static inline ')) {
        return inlineFunction(reader, doc);
    }
    return reader.fail(`cannot tell what this is: "${line.trim()}"`);
}

/** Comment lines from here on, and which marker they have. */
function commentBlock(reader) {
    const marker = reader.lines[reader.at].startsWith('///') ? '///' : '//';
    const block = [];
    while (reader.at < reader.lines.length && reader.lines[reader.at].startsWith(marker)) {
        block.push(commentText(reader.lines[reader.at++]));
    }
    return { marker, text: joinDoc(block) };
}

/** All that a header declares. `name` is what programs include, such as "rubble/world.h". */
export function parseHeader(name, text) {
    const reader = new Reader(name, text);
    const guard = text.match(/^#ifndef (\w+)\n#define \1$/m)?.[1];
    const items = [];
    const seen = new Set();
    let about = '';
    let doc = '';
    while (reader.at < reader.lines.length) {
        const line = reader.lines[reader.at];
        if (line.trim() === '') {
            doc = '';
            ++reader.at;
        } else if (line.startsWith('//')) {
            const { marker, text: comment } = commentBlock(reader);
            const section = comment.match(/^-+ (.*?) -+$/);
            if (!about && marker === '///' && reader.lines[reader.at]?.startsWith('#ifndef')) {
                about = comment;
            } else if (marker === '///') {
                doc = comment;
            } else {
                items.push(
                    section ? { kind: 'section', title: section[1] } : { kind: 'note', text: comment },
                );
            }
        } else {
            const item = declarationAt(reader, doc, guard);
            if (item && !seen.has(item.name)) {
                seen.add(item.name);
                items.push(item);
            }
        }
    }
    return { name, about, items };
}

/** Public functions that say nothing about themselves, as "file:line: name". */
export function undocumented(headers) {
    return headers.flatMap(({ name, items }) =>
        items
            .filter((item) => item.kind === 'function' && !item.doc)
            .map((item) => `${name}:${item.line}: ${item.name}`),
    );
}
