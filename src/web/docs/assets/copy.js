// Adds a button to every example that copies it.
for (const block of document.querySelectorAll('pre:not(.printed)')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  const box = document.createElement('div')
  box.className = 'example'
  block.replaceWith(box)
  box.append(block, button)
}
