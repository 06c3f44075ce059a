/**
 * Joins the names of nested objects to one key with `keySeparator: false`: no name holds this character, and it can be
 * read where the service shows the key.
 */
export const PATH_JOINT = '\u241F'
