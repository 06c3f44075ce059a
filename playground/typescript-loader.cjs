const { transform } = require('esbuild')

/** The smallest TypeScript loader: types off, source map on. */
module.exports = function typescript(source) {
  const done = this.async()
  const options = { loader: 'ts', target: 'es2022', sourcemap: true, sourcefile: this.resourcePath }
  transform(source, options).then(
    ({ code, map }) => done(null, code, map),
    (error) => done(error),
  )
}
