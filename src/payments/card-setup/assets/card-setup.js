// The flow of the card page: form, 3-D Secure step, result. The intent's status decides which view is shown.

import { detectBrand, digitsOf, expiryParts, formatExpiry, formatNumber, validateCard } from './card-fields.js'
import { announce, clearProblem, element, offerWayBack, setBusy, showProblem, showView } from './card-views.js'

/**
 * @param {string | null} clientSecret from the URL's fragment
 * @param {string | null} returnUrl the page of the partner that the tenant goes back to, from there too
 */
export function startCardSetup(clientSecret, returnUrl) {
  const base = `/sandbox/card-setup/${encodeURIComponent(element('card-setup').dataset.setupIntent ?? '')}`
  let busy = false

  /** @param {string} step @param {object} body */
  async function call(step, body) {
    const response = await fetch(`${base}/${step}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientSecret, ...body }),
      cache: 'no-store',
    })
    const answer = await response.json()
    if (response.status === 404) return { status: 'unknown', rejection: null }
    if (!response.ok) throw new Error(answer.message ?? 'The payment processor did not respond.')
    return answer
  }

  /**
   * Runs one step at a time: further button presses are ignored.
   * @param {Element[]} buttons @param {string} doing @param {string} step @param {object} body
   * @param {(message: string) => void} failed
   */
  async function take(buttons, doing, step, body, failed) {
    if (busy) return
    busy = true
    setBusy(buttons, doing)
    try {
      show(await call(step, body), { opening: false })
    } catch (error) {
      // Browsers throw a TypeError when the connection fails.
      failed(
        error instanceof TypeError || !(error instanceof Error)
          ? 'The connection failed. Check your internet connection and try again.'
          : error.message,
      )
    } finally {
      setBusy(buttons, null)
      busy = false
    }
  }

  /**
   * @param {{
   *   status: string
   *   rejection: null | { code: string, declineCode: string | null, message: string, field: string | null }
   * }} state
   */
  function show({ status, rejection }, { opening }) {
    element('status').textContent = status
    const focus = !opening
    if (status === 'requires_payment_method') {
      showView('collect', { focus: false })
      if (rejection !== null && !opening) showRejection(rejection)
    } else if (status === 'requires_action') showView('authenticate', { focus })
    else if (status === 'canceled') showView('closed', { focus })
    else if (status === 'succeeded') {
      forgetCard()
      showView('done', { focus })
    } else showView('broken', { focus })
  }

  /** @param {{ code: string, declineCode: string | null, message: string, field: string | null }} rejection */
  function showRejection({ code, declineCode, message, field }) {
    const authentication = code === 'setup_intent_authentication_failure'
    showProblem({
      title: authentication ? 'You were not authenticated' : 'This card was not accepted',
      text: field === null ? `${message} Nothing was saved.` : 'Nothing was saved.',
      code: declineCode === null ? code : `${code} · ${declineCode}`,
      fields: field === null ? [] : [{ field, text: message }],
    })
    element('cvc').value = ''
  }

  /** Clears all card data from the page once it has been saved. */
  function forgetCard() {
    element('card-form').reset()
    element('brand').textContent = ''
  }

  /** @param {string} digits */
  function nameCard(digits) {
    const named = `${detectBrand(digits) || 'Card'} ending ${digits.slice(-4)}`
    element('saved-card').textContent = `Your ${named}`
    element('authenticated-card').textContent = `your ${named}`
  }

  function submit() {
    const card = {
      number: element('number').value,
      expiry: formatExpiry(element('expiry').value),
      cvc: element('cvc').value.trim(),
    }
    const fields = validateCard(card, new Date())
    if (fields.length > 0) {
      showProblem({
        title:
          fields.length === 1 ? 'There is a problem with one field' : `There is a problem with ${fields.length} fields`,
        fields,
      })
      return
    }
    clearProblem()
    const number = digitsOf(card.number)
    nameCard(number)
    const sent = { card: { number, cvc: card.cvc, ...expiryParts(card.expiry) } }
    take([element('save')], 'Saving your card…', 'confirm', sent, (message) =>
      showProblem({ title: 'Your card could not be sent', text: `${message} Nothing was saved.` }),
    )
  }

  /** @param {HTMLButtonElement} chosen */
  function authenticate(chosen) {
    const problem = element('authenticate-problem')
    problem.hidden = true
    const buttons = [...document.querySelectorAll('[data-outcome]')]
    take(buttons, 'Contacting your bank…', 'authenticate', { outcome: chosen.dataset.outcome }, (message) => {
      problem.textContent = message
      problem.hidden = false
    })
  }

  /** @param {string} digits */
  function fillTestCard(digits) {
    clearProblem()
    element('number').value = formatNumber(digits)
    element('expiry').value = `12 / ${String(new Date().getFullYear() + 3).slice(-2)}`
    element('cvc').value = detectBrand(digits) === 'American Express' ? '1234' : '123'
    element('brand').textContent = detectBrand(digits)
    element('save').focus({ preventScroll: true })
    element('collect').scrollIntoView({ block: 'start' })
    announce('The test card was filled in.')
  }

  /**
   * Formats while typing, but not when the caret is inside the text or something is being deleted.
   * @param {string} id @param {(text: string) => string} format
   */
  function formatWhileTyping(id, format) {
    const input = element(id)
    input.addEventListener('input', (event) => {
      const adding = !(event.inputType ?? '').startsWith('delete')
      if (adding && input.selectionStart === input.value.length) input.value = format(input.value)
    })
    input.addEventListener('change', () => {
      input.value = format(input.value)
    })
  }

  async function open() {
    if (clientSecret === null || clientSecret === '') {
      showView('broken', { focus: false })
      return
    }
    try {
      show(await call('state', {}), { opening: true })
    } catch {
      element('broken-text').textContent =
        'The payment processor is not responding at the moment. What you entered is still here.'
      element('reload').hidden = false
      showView('broken', { focus: false })
      element('broken').querySelector('h1').textContent = 'The card form could not be loaded'
    }
  }

  formatWhileTyping('number', formatNumber)
  formatWhileTyping('expiry', formatExpiry)
  element('number').addEventListener('input', () => {
    element('brand').textContent = detectBrand(digitsOf(element('number').value))
  })
  element('card-form').addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
  for (const button of document.querySelectorAll('[data-outcome]'))
    button.addEventListener('click', () => authenticate(button))
  for (const button of document.querySelectorAll('[data-number]'))
    button.addEventListener('click', () => fillTestCard(button.dataset.number))
  element('reload').addEventListener('click', () => location.reload())
  offerWayBack(returnUrl)
  open()
}
