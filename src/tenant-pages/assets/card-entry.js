// The processor's card field: shows it, sends what was entered to the processor, and says in words what went wrong.

;(() => {
  const form = document.getElementById('card-entry')
  const problem = document.getElementById('card-problem')
  const button = form.querySelector('button')
  const { clientSecret, publishableKey, returnUrl } = form.dataset
  const messages = JSON.parse(form.dataset.messages)
  const waiting = form.querySelector('[role="status"]')

  /** @param {string} text */
  function say(text) {
    problem.querySelector('p').textContent = text
    problem.hidden = false
    problem.focus()
  }

  /** @param {boolean} isBusy */
  function setBusy(isBusy) {
    button.disabled = isBusy
    waiting.textContent = isBusy ? messages.sending : ''
  }

  form.hidden = false
  waiting.textContent = messages.loading
  button.disabled = true
  if (window.Stripe === undefined) {
    waiting.textContent = ''
    say(messages.notLoaded)
    return
  }

  const stripe = window.Stripe(publishableKey, { locale: 'en-GB' })
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const colours = getComputedStyle(document.documentElement)
  const elements = stripe.elements({
    clientSecret,
    appearance: {
      theme: isDark ? 'night' : 'stripe',
      variables: { colorPrimary: colours.getPropertyValue('--brand').trim(), fontSizeBase: '17px' },
    },
  })
  // A card only, because later payments are taken without the tenant.
  const field = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never', link: 'never' } })
  field.on('ready', () => setBusy(false))
  field.on('loaderror', () => {
    waiting.textContent = ''
    say(messages.notLoaded)
  })
  field.mount('#card-field')

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.disabled) return
    problem.hidden = true
    setBusy(true)
    // The processor leads to `returnUrl` only if the bank has to be asked on a page of its own.
    const { error } = await stripe
      .confirmSetup({ elements, confirmParams: { return_url: returnUrl }, redirect: 'if_required' })
      .catch(() => ({ error: { type: 'api_connection_error' } }))
    // In another window the card may have been saved meanwhile: the next page knows.
    if (error === undefined || error.code === 'setup_intent_unexpected_state') {
      form.submit()
      return
    }
    setBusy(false)
    // The field itself says what is missing in it.
    if (error.type === 'validation_error') return
    say(
      error.type === 'card_error' || error.code === 'setup_intent_authentication_failure'
        ? (messages.codes[error.decline_code] ?? messages.codes[error.code] ?? messages.declined)
        : messages.notSent,
    )
  })
})()
