// What the page shows: one view at a time, the problem box, and announcements for screen readers.

/** @param {string} id */
export function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no element ${id}.`)
  return found
}

/**
 * Shows one view and hides the others. Focuses its heading, unless the page has just opened.
 * @param {string} name
 * @param {{ focus?: boolean }} [options]
 */
export function showView(name, { focus = true } = {}) {
  for (const view of document.querySelectorAll('[data-view]')) view.hidden = view.id !== name
  element('test-cards').hidden = name !== 'collect'
  if (focus) element(name).querySelector('h1')?.focus()
  document.title = `${element(name).querySelector('h1')?.textContent} · Housebill sandbox`
}

/**
 * Fills the problem box and focuses it. The problem of each field is shown next to the field and linked to it.
 * @param {{ title: string, text?: string, code?: string, fields?: { field: string, text: string }[] }} problem
 */
export function showProblem({ title, text = '', code = '', fields = [] }) {
  clearProblem()
  element('problem-title').textContent = title
  fill('problem-text', text)
  fill('problem-code', code)
  const list = element('problem-fields')
  list.hidden = fields.length === 0
  list.replaceChildren(...fields.map(fieldLink))
  for (const { field, text: what } of fields) {
    element(`${field}-error`).textContent = what
    element(field).setAttribute('aria-invalid', 'true')
  }
  const box = element('problem')
  box.hidden = false
  box.focus()
  box.scrollIntoView({ block: 'nearest' })
}

export function clearProblem() {
  element('problem').hidden = true
  for (const error of document.querySelectorAll('.field-error')) error.textContent = ''
  for (const field of document.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
}

/**
 * Replaces the last line of the result by a link to the partner's page. Shows its host, because whoever made the link
 * chose it, and offers no address that would run a script.
 * @param {string | null} url
 */
export function offerWayBack(url) {
  if (url === null || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return
  const link = document.createElement('a')
  link.href = url
  link.textContent = `Go back to ${new URL(url).host}`
  element('way-back').replaceChildren(link)
}

/** Announces text to screen readers. @param {string} text */
export function announce(text) {
  element('announcement').textContent = text
}

/**
 * Marks buttons as busy: they keep the focus but ignore presses.
 * @param {Iterable<Element>} buttons
 * @param {string | null} what the action in progress; null when done
 */
export function setBusy(buttons, what) {
  for (const button of buttons) {
    if (what === null) button.removeAttribute('aria-disabled')
    else button.setAttribute('aria-disabled', 'true')
  }
  announce(what ?? '')
}

/** @param {string} id @param {string} text */
function fill(id, text) {
  const line = element(id)
  line.textContent = text
  line.hidden = text === ''
}

/** @param {{ field: string, text: string }} problem */
function fieldLink({ field, text }) {
  const link = document.createElement('a')
  link.href = `#${field}`
  link.textContent = text
  // The fragment holds the client secret and must stay: the link only moves the focus.
  link.addEventListener('click', (event) => {
    event.preventDefault()
    element(field).focus()
  })
  const item = document.createElement('li')
  item.append(link)
  return item
}
