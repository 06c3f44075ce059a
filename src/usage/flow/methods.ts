/** Built-in functions whose effect on objects and arrays is known. Everything that is missing here keeps more keys. */

/** Methods that call their callback with each element. */
export const ITERATING =
  /^(?:map|forEach|filter|flatMap|some|every|find|findIndex|findLast|findLastIndex|reduce|reduceRight)$/
/** Methods that return another array of the same elements. */
export const SOME_ELEMENTS = /^(?:filter|slice|concat|toSorted|toReversed|values|flat|splice)$/
/** Methods that change the order and return the array itself. */
export const SAME_ARRAY = /^(?:sort|reverse|copyWithin|fill)$/
export const ONE_ELEMENT = /^(?:at|find|findLast|pop|shift)$/
/** Methods that put their arguments into the array, with the index of the first one. */
export const ADDING: Readonly<Record<string, number>> = { push: 0, unshift: 0, splice: 2, fill: 0 }
/** Methods after which an element may have another index. */
export const REORDERING = /^(?:sort|reverse|copyWithin|splice|shift|unshift)$/
/** Methods that only read the object, and return no part of it. */
export const READING =
  /^(?:join|includes|indexOf|lastIndexOf|keys|toString|toLocaleString|hasOwnProperty|propertyIsEnumerable|push|pop|shift|unshift|at|some|every|findIndex|findLastIndex|forEach|isPrototypeOf)$/
/** Functions of the language that only read their arguments. */
export const READING_GLOBALS = new Set([
  'String',
  'Number',
  'Boolean',
  'BigInt',
  'Symbol',
  'isNaN',
  'isFinite',
  'parseInt',
  'parseFloat',
  'encodeURIComponent',
  'structuredClone',
])
/** Objects of the language whose functions only read their arguments. */
export const READING_OBJECTS = new Set(['console', 'JSON', 'Math', 'Number', 'String', 'Intl'])
/** Functions of `Object` and `Reflect` that only read their arguments. */
export const READING_STATICS = new Set([
  'keys',
  'is',
  'hasOwn',
  'isFrozen',
  'isSealed',
  'isExtensible',
  'getOwnPropertyNames',
  'getOwnPropertySymbols',
  'has',
  'ownKeys',
  'isArray',
])
export const FREEZING = new Set(['freeze', 'seal', 'preventExtensions'])
/** Packages that promise not to change the objects that they are given. */
export const FRAMEWORK =
  /^(?:react|react-dom|react-native|preact|next|vue|@vue\/[\w-]+|pinia|vuex|svelte|solid-js|@angular\/[\w-]+|astro|lit)(?:\/|$)/
/** Functions that make elements, whose results hold nothing that code of an app changes. */
export const ELEMENT_MAKERS =
  /^_?(?:jsx|jsxs|jsxDEV|createElement|cloneElement|h|create(?:Element)?(?:VNode|Block)|with(?:Directives|Ctx|Memo)|render(?:List|Slot)|createSlots|ssr\w+)$/
