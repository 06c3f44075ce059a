/** A loader of webpack and Rspack that leaves nothing of a module. */
module.exports = () => ''
