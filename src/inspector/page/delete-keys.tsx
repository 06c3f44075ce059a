/** Deletes keys. First shows the texts with their files and lines, and asks for confirmation. */
import { useEffect, useState } from 'preact/hooks'
import { count } from '../../shared/figures.ts'
import type { Answers } from '../endpoints.ts'
import type { KeyName, ProjectKind } from '../protocol.ts'
import { messageOf, post, readAgain } from './calls.ts'
import { ActionButton, Busy, Checkbox, Dialog, ErrorText, MOST_KEYS, notice, TooManyKeys } from './controls.tsx'
import { textName } from './format.tsx'

type DeleteKeysProps = { kind: ProjectKind; hasService: boolean; keys: readonly KeyName[] }

type Removal = Answers['removal']

type DeleteDialogProps = DeleteKeysProps & { onClose: () => void; onDeleted?: () => void }

export function DeleteDialog(props: DeleteDialogProps) {
  const { keys, onClose } = props
  if (keys.length <= MOST_KEYS) return <RemovalDialog {...props} />
  return <TooManyKeys title={`Delete ${count(keys.length, 'key')}?`} onClose={onClose} />
}

function RemovalDialog({ kind, hasService, keys, onClose, onDeleted }: DeleteDialogProps) {
  const [onService, setOnService] = useState(kind === 'service')
  const [removal, setRemoval] = useState<Removal>()
  const [failure, setFailure] = useState<string>()
  const look = () => {
    let isOver = false
    setRemoval(undefined)
    setFailure(undefined)
    post('removal', { keys: [...keys], onService }).then(
      (answer) => !isOver && setRemoval(answer),
      (error: unknown) => !isOver && setFailure(messageOf(error)),
    )
    return () => {
      isOver = true
    }
  }
  useEffect(look, [onService])
  const remove = async () => {
    const answer = await post('remove', { keys: [...keys], onService, seen: removal?.seen ?? '' })
    readAgain()
    // Shows the changed texts before the user tries again.
    if (answer.done === 0) look()
    else {
      notice(`deleted: ${count(answer.done, 'text')}${onService ? '' : keptNote(removal)}`)
      onClose()
      onDeleted?.()
    }
    return answer
  }
  const name = keys.length === 1 ? keys[0]?.key : count(keys.length, 'key')
  const { refusal } = removal?.service ?? {}
  const consequence = consequenceOf(kind, onService, removal)
  const isNothing = removal?.texts === 0 && (removal.service?.texts ?? 0) === 0
  return (
    <Dialog
      title={`Delete ${name}?`}
      onClose={onClose}
      actions={
        <ActionButton
          label={onService && kind === 'project' ? 'Delete in files and on the service' : 'Delete'}
          kind="danger"
          disabled={!removal || isNothing || refusal !== undefined}
          run={remove}
        />
      }
    >
      {failure !== undefined && <ErrorText message={failure} />}
      {failure === undefined && !removal && <Busy what="Loading the preview" />}
      {removal && preview(removal, kind)}
      {hasService && kind === 'project' && (
        <Checkbox checked={onService} onChange={setOnService}>
          Delete on the service too, in every language
        </Checkbox>
      )}
      {refusal !== undefined && <ErrorText message={refusal} />}
      {consequence !== undefined && <p class="soft small">{consequence}</p>}
    </Dialog>
  )
}

/** Explains why the table still shows the rows. */
function keptNote({ keptOnService = 0 }: Partial<Removal> = {}): string {
  if (keptOnService === 0) return ''
  return `; ${count(keptOnService, 'key')} still on the service, so the table still shows ${keptOnService === 1 ? 'it' : 'them'}`
}

function consequenceOf(kind: ProjectKind, onService: boolean, { keptOnService = 0 }: Partial<Removal> = {}) {
  if (onService) {
    const texts = kind === 'service' ? '' : 'texts that only the service has, '
    return `This also deletes ${texts}descriptions, limits and review states.`
  }
  if (keptOnService === 0) return undefined
  const kept = `The service keeps ${count(keptOnService, 'key')}, because deletions in files are never sent.`
  return `${kept} The table still shows texts that only the service has.`
}

function preview({ texts, languages, files, lines, service }: Removal, kind: ProjectKind) {
  return (
    <>
      {kind === 'project' && (
        <p>
          {texts === 0
            ? 'The files contain no texts to delete.'
            : `${count(texts, 'text')} in ${count(languages, 'language')}, deleted from ${count(files.length, 'file')}:`}
        </p>
      )}
      {texts > 0 && (
        <ul class="plain small removal" aria-label="Texts to delete" tabIndex={0}>
          {lines.map(({ ref, text, place }) => (
            <li key={textName(ref)}>
              <code class="place">{place ?? textName(ref)}</code>
              <span lang={ref.language} dir="auto">
                {text}
              </span>
            </li>
          ))}
          {texts > lines.length && <li class="soft">and {count(texts - lines.length, 'more text')}:</li>}
          {texts > lines.length &&
            files.map(({ file, texts: inFile }) => (
              <li key={file} class="soft">
                <code class="place">{file}</code> {count(inFile, 'text')}
              </li>
            ))}
        </ul>
      )}
      {service && (
        <p>
          On the service: {count(service.texts, 'text')} in {count(service.languages, 'language')}.
        </p>
      )}
    </>
  )
}
