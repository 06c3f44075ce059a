/** A loader of webpack and Rspack: TypeScript to ES5, with the helpers for `await` in each module. */
const ts = require('typescript')

module.exports = function es5(code) {
  const { ES5 } = ts.ScriptTarget
  const compilerOptions = { target: ES5, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.React, removeComments: true }
  return ts.transpileModule(code, { compilerOptions, fileName: this.resourcePath }).outputText
}
