/** A loader of webpack and Rspack that replaces parts of a source: `pairs` of the part and what comes instead. */
module.exports = function replacing(code) {
  return this.getOptions().pairs.reduce((text, [from, to]) => text.replaceAll(from, to), code)
}
