/** Made as a style sheet object, which an app's content security policy lets through, and seen by nothing outside the shadow root. */

const CSS = `
:host { all: initial; color-scheme: light dark }
* { box-sizing: border-box }
[hidden] { display: none !important }
.box { position: fixed; pointer-events: none; border: 2px solid #4f46e5; border-radius: 4px; background: rgb(79 70 229 / 12%); z-index: 1 }
.box.many { border-style: double; border-width: 4px }
.box.unknown { border: 1px dashed #8a8f98; background: none }
.popup { position: fixed; z-index: 2; width: min(26rem, calc(100vw - 1rem)); max-height: min(34rem, calc(100vh - 1rem)); overflow: auto;
  display: flex; flex-direction: column; gap: .6rem; padding: .9rem 1rem; border-radius: 12px;
  font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', sans-serif; color: light-dark(#15181d, #e9ecf1);
  background: light-dark(#fff, #191c22); border: 1px solid light-dark(#cfd4dc, #3a404b); box-shadow: 0 12px 40px rgb(0 0 0 / 35%) }
.head { display: flex; align-items: flex-start; gap: .5rem }
.head h2 { margin: 0 auto 0 0; font: 600 14px/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere }
p { margin: 0 }
.soft { color: light-dark(#565e6a, #a1a9b6); font-size: 12.5px; overflow-wrap: anywhere }
.bad { color: light-dark(#b4231f, #ff8f88); font-size: 13px; overflow-wrap: anywhere }
a { color: light-dark(#4338ca, #a5a2ff) }
label { display: flex; flex-direction: column; gap: .2rem; font-weight: 600; font-size: 13px }
textarea { font: 14px/1.4 system-ui, -apple-system, 'Segoe UI', sans-serif; color: inherit; background: light-dark(#fff, #101216);
  border: 1px solid light-dark(#8a919c, #5b6370); border-radius: 8px; padding: .35rem .5rem; resize: vertical; width: 100%; font-weight: 400 }
textarea::placeholder { color: light-dark(#565e6a, #a1a9b6); opacity: 1 }
textarea[readonly] { border-style: dashed }
button { font: inherit; color: inherit; padding: .3rem .7rem; min-height: 30px; border-radius: 8px; border: 1px solid light-dark(#cfd4dc, #3a404b);
  background: light-dark(#f0f2f5, #22262e); cursor: pointer; text-align: left; overflow-wrap: anywhere }
button.primary { background: light-dark(#4338ca, #a5a2ff); border-color: transparent; color: light-dark(#fff, #14141f) }
button:disabled { opacity: .6; cursor: default }
.close { background: none; border: 0 }
.row { display: flex; gap: .5rem; align-items: center; flex-wrap: wrap }
.choices { display: flex; flex-direction: column; gap: .4rem }
:focus-visible { outline: 2px solid light-dark(#4338ca, #a5a2ff); outline-offset: 2px }
`

export function adoptStyle(root: ShadowRoot): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  root.adoptedStyleSheets = [sheet]
}
