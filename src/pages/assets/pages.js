// Buttons that copy, and pages that reload every ten seconds. Everything works without.
for (const place of document.querySelectorAll('pre:not(.printed), [data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(place.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  const box = document.createElement(place.matches('pre') ? 'div' : 'span')
  box.className = 'example'
  place.replaceWith(box)
  box.append(place, button)
}

const reload = document.querySelector('.reload')
if (reload) {
  const isOn = location.hash === '#reloads'
  reload.href = isOn ? '#' : '#reloads'
  reload.textContent = isOn ? reload.dataset.stop : reload.dataset.start
  addEventListener('hashchange', () => location.reload())
  if (isOn) setInterval(() => document.hidden || location.reload(), 10_000)
}
