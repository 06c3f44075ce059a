/** The picture of an edit: the file in an editor, and the page before and after, as one document. */

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Names and texts of a line of JSON have a color each. */
const colored = (line) =>
  escaped(line)
    .replace(/(&#34;(?:(?!&#34;).)*&#34;)(\s*:)/g, '<b>$1</b>$2')
    .replace(/(:\s*)(&#34;.*&#34;)/g, '$1<i>$2</i>')

const row = (line, kind = ' ') =>
  `<div class="${kind === '+' ? 'new' : kind === '-' ? 'old' : ''}">${kind} ${colored(line)}</div>`
const image = (png) => `data:image/png;base64,${png.toString('base64')}`

export const composeEdit = ({ before, after, lines }) => `<!doctype html><meta charset="utf-8"><style>
  :root { color-scheme: light dark; }
  * { box-sizing: border-box; margin: 0; }
  body {
    --back: light-dark(#eef1f4, #0d1117); --pane: light-dark(#fff, #161b22); --line: light-dark(#d0d7de, #30363d);
    --ink: light-dark(#24292f, #e6edf3); --soft: light-dark(#57606a, #9198a1);
    width: 860px; height: 484px; padding: 16px; background: var(--back); color: var(--ink);
    font: 13px/1.5 system-ui, "Noto Sans", sans-serif; display: grid; grid-template-columns: 372px 1fr; gap: 16px;
  }
  figure { background: var(--pane); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
  figcaption { padding: 6px 12px; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 12px; }
  pre { font: 11px/1.75 "DejaVu Sans Mono", monospace; padding: 10px 0; overflow: hidden; }
  pre div { padding: 0 8px; white-space: pre-wrap; padding-inline-start: 30px; text-indent: -20px; }
  pre b { font-weight: normal; color: light-dark(#0550ae, #79c0ff); }
  pre i { font-style: normal; color: light-dark(#116329, #7ee787); }
  pre .old { background: light-dark(#ffebe9, #3d1c1f); }
  pre .new { background: light-dark(#dafbe1, #12321f); }
  .left { display: grid; grid-template-rows: 1fr auto; gap: 12px; }
  .steps { padding: 4px 4px 0; }
  .steps p + p { margin-top: 4px; color: var(--soft); }
  .right { display: grid; grid-template-rows: 1fr 1fr; gap: 12px; }
  img { width: 100%; display: block; }
</style><body>
<div class="left">
  <figure><figcaption>locales/en/shop.json</figcaption><pre>${[
    ...lines.above.map((line) => row(line)),
    row(lines.removed, '-'),
    row(lines.added, '+'),
    ...lines.below.map((line) => row(line)),
  ].join('')}</pre></figure>
  <div class="steps"><p><strong>Save the file.</strong> The open page shows the text.</p>
  <p>No reload: the basket keeps its bag. The service has the text too.</p></div>
</div>
<div class="right">
  <figure><figcaption>Before</figcaption><img src="${image(before)}" alt=""></figure>
  <figure><figcaption>After</figcaption><img src="${image(after)}" alt=""></figure>
</div></body>`
