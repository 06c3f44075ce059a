/** Boxes in boxes: their areas are sizes in bytes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatSize } from '../../shared/size.ts'
import { count } from './format.ts'
import { hrefOf } from './route.ts'
import { type Box, squarify } from './squarify.ts'

export interface Leaf {
  readonly name: string
  /** `undefined`: it stands for several. */
  readonly namespace: string | undefined
  readonly bytes: number
}

interface Group {
  /** `undefined`: the leaves stand alone. */
  readonly name: string | undefined
  readonly kind: 'entry' | 'lazy' | undefined
  readonly leaves: readonly Leaf[]
  readonly bytes: number
}

/** More boxes are too small to be seen. */
export const MOST_GROUPS = 24
export const MOST_LEAVES = 8

function mostOf(groups: readonly Group[], width: number): Group[] {
  const most = width < 900 ? MOST_GROUPS / 2 : MOST_GROUPS
  if (groups.length <= most) return [...groups]
  const others = groups.slice(most - 1)
  const bytes = others.reduce((sum, group) => sum + group.bytes, 0)
  const leaves = [{ name: count(others.length, 'chunk'), namespace: undefined, bytes }]
  const rest: Group = { name: 'others', kind: undefined, bytes, leaves }
  return [...groups.slice(0, most - 1), rest].sort((a, b) => b.bytes - a.bytes)
}

const HEIGHT = 340
const GAP = 2
const HEAD = 22
/** About the width of a character, in pixels. */
const CHARACTER = 7.5

export function Treemap({ groups, label }: { groups: readonly Group[]; label: string }) {
  const frame = useRef<HTMLUListElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    if (frame.current) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  const shown = mostOf(groups, width)
  const sizes = shown.map(({ bytes }) => bytes)
  const boxes = width > 0 ? squarify(sizes, { x: 0, y: 0, width, height: HEIGHT }) : []
  return (
    <ul class="treemap" ref={frame} aria-label={label}>
      {boxes.map((box, at) => {
        const group = shown[at] as Group
        return <GroupBox key={`${group.kind} ${group.name}`} group={group} box={box} />
      })}
    </ul>
  )
}

function GroupBox({ group: { name, kind, leaves, bytes }, box }: { group: Group; box: Box }) {
  const inner = name === undefined ? { ...box, x: 0, y: 0 } : withoutFrame(box)
  const boxes = squarify(
    leaves.map((leaf) => leaf.bytes),
    inner,
  )
  const size = formatSize(bytes)
  const besideSize = shortened(name ?? '', box.width - size.length * CHARACTER - 24)
  const isSized = besideSize !== ''
  const shown = isSized ? besideSize : shortened(name ?? '', box.width - 18)
  return (
    <li
      class={`map-group ${name === undefined ? '' : (kind ?? 'lazy')}`}
      style={styleOf(box)}
      title={name && `${name}: ${size}`}
    >
      {name !== undefined && (
        <span class={hasHead(box) ? 'map-head' : 'unseen'}>
          <span class="map-name">{hasHead(box) ? shown : name}</span>
          {(isSized || !hasHead(box)) && <bdi>{size}</bdi>}
        </span>
      )}
      <ul aria-label={name}>
        {leaves.map((leaf, at) => (
          <LeafBox key={leaf.name} leaf={leaf} box={boxes[at] as Box} of={name} />
        ))}
      </ul>
    </li>
  )
}

function LeafBox({ leaf: { name, namespace, bytes }, box, of }: { leaf: Leaf; box: Box; of: string | undefined }) {
  const size = formatSize(bytes)
  const full = `${name} ${size}${of === undefined ? '' : `, ${of}`}`
  const fits = (lines: number, text: string) =>
    box.height >= lines * 20 + 6 && box.width >= text.length * CHARACTER + 12
  const content = (
    <>
      {fits(1, name) && <span>{name}</span>} {fits(2, name) && fits(2, size) && <bdi class="soft">{size}</bdi>}
    </>
  )
  return (
    <li class="map-leaf" style={styleOf(box)}>
      {namespace === undefined ? (
        <span class="map-box" title={full}>
          {content}
        </span>
      ) : (
        <a class="map-box" href={hrefOf('texts', { namespace })} aria-label={full} title={full}>
          {content}
        </a>
      )}
    </li>
  )
}

const hasHead = ({ width, height }: Box) => width >= 90 && height >= HEAD + 12

/** The place for the namespaces of a chunk. */
function withoutFrame(box: Box): Box {
  const head = hasHead(box) ? HEAD : GAP
  const [width, height] = [box.width - 2 * GAP, box.height - head - GAP]
  return { x: GAP, y: head, width: Math.max(0, width), height: Math.max(0, height) }
}

/** The end of a path says most. */
function shortened(name: string, width: number): string {
  const most = Math.floor(width / CHARACTER)
  const last = name.slice(name.lastIndexOf('/') + 1)
  const whole = [name, last].find((each) => each.length <= most)
  return whole ?? (most < 6 ? '' : `${last.slice(0, most - 1)}…`)
}

function styleOf({ x, y, width, height }: Box): string {
  const px = (value: number) => `${Math.max(0, value).toFixed(1)}px`
  return `inset-inline-start: ${px(x)}; top: ${px(y)}; width: ${px(width)}; height: ${px(height)}`
}
