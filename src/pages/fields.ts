import type { Form } from './form.ts'
import { type Html, html } from './html.ts'
import { words } from './words.ts'

interface FieldOptions {
  name: string
  label: string
  hint?: string
  /** What the field has before anything was entered. */
  value?: string
}

/** A field for one line of text. */
export function textField(
  form: Form,
  field: FieldOptions & {
    type?: 'text' | 'email' | 'tel' | 'password' | 'datetime-local'
    inputMode?: 'numeric' | 'decimal'
    autocomplete?: string
    maxLength?: number
    size?: 'short'
  },
): Html {
  const { name, label, hint, value = '', type = 'text', inputMode, autocomplete = 'off', maxLength = 200 } = field
  return html`<div class="field${form.problemOf(name) === undefined ? '' : ' wrong'}">
<label for="${name}">${label}</label>${hintOf(name, hint)}${problemOf(form, name)}
<input id="${name}" name="${name}" type="${type}" value="${form.text(name, value)}" maxlength="${maxLength}" autocomplete="${autocomplete}"${inputMode === undefined ? null : html` inputmode="${inputMode}"`}${field.size === 'short' ? html` class="short"` : null}${described(form, name, hint)}>
</div>`
}

/** A field for a long text, which a file can bring unless `hasFile` is false. Its page and its form then say `takesFiles`. */
export function longTextField(
  form: Form,
  { name, label, hint, value = '', rows = 12, hasFile = true }: FieldOptions & { rows?: number; hasFile?: boolean },
): Html {
  return html`<div class="field${form.problemOf(name) === undefined ? '' : ' wrong'}">
<label for="${name}">${label}</label>${hintOf(name, hint)}${problemOf(form, name)}
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false"${described(form, name, hint)}>${form.text(name, value)}</textarea>
${hasFile && html`<label for="${name}-file">${words.orFile}</label><input id="${name}-file" name="${name}" type="file">`}
</div>`
}

/** Day, month and year as three fields; `value` is an ISO 8601 date. The summary of errors links to the day. */
export function dateField(
  form: Form,
  { name, label, hint, value = '', birthday = false }: FieldOptions & { birthday?: boolean },
): Html {
  const isWrong = form.problemOf(name) !== undefined
  const [year = '', month = '', day = ''] = value.split('-')
  const given = { day, month, year }
  const part = (key: 'day' | 'month' | 'year', text: string) => {
    const id = key === 'day' ? name : `${name}-${key}`
    return html`<div><label for="${id}">${text}</label><input id="${id}" name="${name}-${key}" type="text" inputmode="numeric" maxlength="4" value="${form.text(`${name}-${key}`, given[key])}" autocomplete="${birthday ? `bday-${key}` : 'off'}" class="${key === 'year' ? 'year' : 'digits'}"${isWrong ? html` aria-invalid="true"` : null}></div>`
  }
  return html`<fieldset class="field${isWrong ? ' wrong' : ''}"${described(form, name, hint, false)}>
<legend>${label}</legend>${hintOf(name, hint)}${problemOf(form, name)}
<div class="date">${part('day', 'Day')}${part('month', 'Month')}${part('year', 'Year')}</div>
</fieldset>`
}

interface Option {
  value: string
  label: string
  hint?: string
  /** What belongs to the option, such as a date that it needs. Shown only where the option is ticked. */
  more?: Html
  /** The heading under which the option stands with those beside it. */
  group?: string
}

/** A choice of one or several. Nothing is chosen beforehand, unless it was chosen before. */
export function choiceField(
  form: Form,
  field: FieldOptions & { type: 'radio' | 'checkbox'; options: readonly Option[]; heading?: boolean },
): Html {
  const { name, label, hint, type, options, heading = false } = field
  const isWrong = form.problemOf(name) !== undefined
  const chosen = form.chosen(name)
  return html`<fieldset class="field${isWrong ? ' wrong' : ''}"${described(form, name, hint, false)}>
<legend>${heading ? html`<h1>${label}</h1>` : label}</legend>${hintOf(name, hint)}${problemOf(form, name)}
${options.map((option, index) => {
  const id = index === 0 ? name : `${name}-${index + 1}`
  const isNewGroup = option.group !== undefined && option.group !== options[index - 1]?.group
  return html`${isNewGroup ? html`<p class="group">${option.group}</p>` : null}<div class="option"><input id="${id}" name="${name}" type="${type}" value="${option.value}"${chosen.includes(option.value) ? html` checked` : null}${option.hint === undefined ? null : html` aria-describedby="${id}-hint"`}><label for="${id}">${option.label}</label>${hintOf(id, option.hint)}${option.more}</div>`
})}
</fieldset>`
}

/** A choice of one from many, as a list that opens. Nothing but the value says what is chosen beforehand. */
export function selectField(
  form: Form,
  { name, label, hint, value = '', options }: FieldOptions & { options: readonly Pick<Option, 'value' | 'label'>[] },
): Html {
  const chosen = form.text(name, value)
  return html`<div class="field${form.problemOf(name) === undefined ? '' : ' wrong'}">
<label for="${name}">${label}</label>${hintOf(name, hint)}${problemOf(form, name)}
<select id="${name}" name="${name}"${described(form, name, hint)}>${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === chosen && html` selected`}>${option.label}</option>`,
  )}</select>
</div>`
}

/** One box to tick, such as a consent. */
export function boxField(form: Form, { name, label, hint }: FieldOptions): Html {
  const isWrong = form.problemOf(name) !== undefined
  return html`<div class="field${isWrong ? ' wrong' : ''}">${problemOf(form, name)}
<div class="option"><input id="${name}" name="${name}" type="checkbox" value="yes"${form.chosen(name).includes('yes') ? html` checked` : null}${described(form, name, hint)}><label for="${name}">${label}</label>${hintOf(name, hint)}</div></div>`
}

function hintOf(id: string, hint: string | undefined): Html | null {
  return hint === undefined ? null : html`<p class="hint" id="${id}-hint">${hint}</p>`
}

function problemOf(form: Form, name: string): Html | null {
  const problem = form.problemOf(name)
  return problem === undefined
    ? null
    : html`<p class="problem" id="${name}-problem"><span class="unseen">Error:</span> ${problem}</p>`
}

function described(form: Form, name: string, hint: string | undefined, isInput = true): Html | null {
  const isWrong = form.problemOf(name) !== undefined
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-problem`] : [])]
  if (ids.length === 0) return null
  return html` aria-describedby="${ids.join(' ')}"${isWrong && isInput ? html` aria-invalid="true"` : null}`
}
