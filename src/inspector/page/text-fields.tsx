/** A text's fields: a single one, or one for each form of an ICU plural and one for the whole message. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { PLURAL_CATEGORIES } from '../../catalog/plurals.ts'
import { pluralExamples } from '../plural-examples.ts'
import { emptied, type PluralText, readPlural, withForm, writePlural } from './plural-fields.ts'

interface FieldProps {
  readonly id: string
  readonly lang: string
  readonly value: string
  readonly placeholder: string
  readonly readOnly: boolean
  readonly 'aria-describedby': string | undefined
  readonly onType: (text: string) => void
}

/** `source` is the default language's text. While the edited text is empty, its plural determines the fields. */
export function TextFields(props: FieldProps & { label: string; source: string }) {
  const { label, source, value, onType, ...field } = props
  const [typed, setTyped] = useState<{ readonly text: string; readonly plural: PluralText }>()
  // A form that is only partly typed may make the message invalid, so the fields stay.
  const plural = typed?.text === value ? typed.plural : pluralFor(value, source)
  const whole = <TextField {...field} value={value} onType={onType} />
  if (!plural || field.readOnly) return whole
  const change = (selector: string, text: string) => {
    const next = withForm(plural, selector, text, PLURAL_CATEGORIES)
    const isEmpty = [...next.forms.values()].every((form) => form === '')
    const written = isEmpty && value === '' ? '' : writePlural(next)
    setTyped({ text: written, plural: next })
    onType(written)
  }
  return (
    <>
      <fieldset class="forms">
        <legend>
          <span class="unseen">{label}, </span>by <code>{plural.name}</code>
        </legend>
        {selectorsOf(plural, field.lang).map(({ selector, examples }) => (
          <div class="form" key={selector}>
            <label for={`${field.id}-${selector}`}>
              {selector} {examples !== '' && <span class="soft">{examples}</span>}
            </label>
            <TextField
              {...field}
              id={`${field.id}-${selector}`}
              placeholder=""
              value={plural.forms.get(selector) ?? ''}
              onType={(text) => change(selector, text)}
            />
          </div>
        ))}
      </fieldset>
      <details class="syntax">
        <summary>The whole message</summary>
        <label class="unseen" for={field.id}>
          {label}, the whole message
        </label>
        {whole}
      </details>
    </>
  )
}

function TextField({ onType, ...props }: FieldProps) {
  const { value, placeholder } = props
  const field = useRef<HTMLTextAreaElement>(null)
  // The field is as tall as its placeholder even after the first character has replaced the placeholder.
  useLayoutEffect(() => {
    const { current: box } = field
    if (box && value === '' && placeholder !== '') box.style.minHeight = `${Math.min(box.offsetHeight, 256)}px`
  }, [])
  return (
    <textarea
      {...props}
      ref={field}
      dir="auto"
      rows={rowsOf(value || placeholder)}
      spellcheck={true}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  )
}

/** The plural that has a field for each form; `undefined` if the text has a single field. */
export function pluralFor(value: string, source: string): PluralText | undefined {
  if (value !== '') return readPlural(value)
  const plural = readPlural(source)
  return plural && emptied(plural)
}

/** The selectors that get a field: exact numbers, the forms that the language needs, and those in the text. */
function selectorsOf({ forms, type }: PluralText, language: string) {
  const examples = pluralExamples(language, type)
  const needed = examples.size === 0 ? ['one', 'other'] : [...examples.keys(), 'other']
  const exact = [...forms.keys()].filter((selector) => selector.startsWith('='))
  const categories = PLURAL_CATEGORIES.filter((category) => needed.includes(category) || forms.has(category))
  return [...exact, ...categories].map((selector) => ({
    selector,
    examples: exampleText(examples.get(selector), selector, examples.size > 0),
  }))
}

/** Such as `2, 3, 4, 22 …`. */
export function exampleText(numbers: readonly number[] | undefined, selector: string, isKnown = true): string {
  if (numbers) return numbers.join(', ') + (numbers.length > 3 ? ' …' : '')
  return isKnown && selector === 'other' ? 'fractions' : ''
}

function rowsOf(text: string): number {
  return Math.min(8, Math.max(1, Math.ceil(text.length / 48) + text.split('\n').length - 1))
}
