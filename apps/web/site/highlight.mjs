// Colours for code: enough of C, JavaScript, JSON and shell to be pleasant, in a few regular expressions.

import { escapeHtml } from './text.mjs';

const C_WORDS =
    'auto break case const continue default do else enum extern for goto if inline return sizeof static ' +
    'struct switch typedef union volatile while true false NULL';
const C_TYPES =
    'bool char double float int long short signed unsigned void size_t u?int(?:8|16|32|64)_t FILE';
const JS_WORDS =
    'async await break case catch class const continue default else export extends false finally for ' +
    'from function if import in instanceof let new null of return static switch this throw true try ' +
    'typeof undefined var while';

const words = (list) => new RegExp(`(?:${list.split(' ').join('|')})\\b`, 'y');

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const NUMBER = /-?\b(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[uUlLfF]*\b/y;
const C_COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

// [class, pattern] in the order in which they are tried; what none matches is plain.
const RULES = {
    c: [
        ['comment', C_COMMENT],
        ['macro', /#\s*\w+(?:[ \t]+(?:<[^>\n]*>|"[^"\n]*"))?/y],
        ['string', STRING],
        ['number', NUMBER],
        ['keyword', words(C_WORDS)],
        ['type', words(C_TYPES)],
        ['type', /rbl[A-Z]\w*/y],
        ['constant', /[A-Z][A-Z0-9_]+\b/y],
        ['function', /[a-z_]\w*(?=\()/y],
        ['', /\w+/y],
    ],
    js: [
        ['comment', C_COMMENT],
        ['string', /`(?:[^`\\]|\\.)*`/y],
        ['string', STRING],
        ['number', NUMBER],
        ['keyword', words(JS_WORDS)],
        ['function', /[A-Za-z_$][\w$]*(?=\()/y],
        ['', /[\w$]+/y],
    ],
    json: [
        ['key', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y],
        ['string', STRING],
        ['number', NUMBER],
        ['keyword', /(?:true|false|null)\b/y],
        ['comment', C_COMMENT],
    ],
    sh: [
        ['comment', /(?<=^|\s)#[^\n]*/y],
        ['string', STRING],
        ['command', /(?<=^|\n|[|;&] )(?:sudo )?[\w./-]+/y],
        ['option', /(?<=\s)--?[A-Za-z][\w-]*/y],
        ['', /[^\s#"'|;&]+/y],
    ],
};
const ALIASES = {
    h: 'c',
    cpp: 'c',
    'c++': 'c',
    javascript: 'js',
    ts: 'js',
    bash: 'sh',
    shell: 'sh',
    console: 'sh',
};
const COMMANDS = /^(?:rubble|make|cmake|git|npm|node|scripts\/\S+|cc|gcc|clang|python3|ffmpeg|blender) /;

/** The language of a block: what the fence says, or shell for commands that the docs leave unlabelled. */
export function languageOf(label, code) {
    const name = (label ?? '').trim().split(/\s/)[0].toLowerCase();
    if (name) {
        return RULES[ALIASES[name] ?? name] ? (ALIASES[name] ?? name) : '';
    }
    return COMMANDS.test(`${code.trimStart().split('\n')[0]} `) ? 'sh' : '';
}

function tokenAt(code, at, rules) {
    for (const [kind, pattern] of rules) {
        pattern.lastIndex = at;
        const match = pattern.exec(code);
        if (match && match[0]) {
            return [kind, match[0]];
        }
    }
    return ['', code[at]];
}

/** Code as HTML. `link(word)` may give the address that a word leads to. */
export function highlight(code, language, link = () => undefined) {
    const rules = RULES[language];
    if (!rules) {
        return escapeHtml(code);
    }
    let html = '';
    for (let at = 0; at < code.length;) {
        const [kind, text] = tokenAt(code, at, rules);
        at += text.length;
        const escaped = escapeHtml(text);
        const address = /^\w+$/.test(text) ? link(text) : undefined;
        const marked = kind ? `<span class="${kind}">${escaped}</span>` : escaped;
        html += address ? `<a href="${escapeHtml(address)}">${marked}</a>` : marked;
    }
    return html;
}
