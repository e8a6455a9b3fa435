/* The documentation's requests that can be tried. Addresses are relative, so that they work below a path prefix. */

for (const form of document.querySelectorAll('form[data-path]')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    void run(form)
  })
}

async function run(form) {
  const url = urlOf(form)
  const token = form.querySelector('[data-token]')?.value ?? ''
  const result = form.querySelector('.result')
  const show = (status, body) => {
    form.querySelector('[data-url]').textContent = `GET ${url.pathname}${url.search}`
    form.querySelector('[data-status]').textContent = status
    form.querySelector('[data-body]').textContent = body
    result.hidden = false
  }
  try {
    const response = await fetch(url, { headers: token === '' ? {} : { Authorization: `Bearer ${token}` } })
    const text = await response.text()
    show(`${response.status} ${response.statusText}`, isJson(response) ? JSON.stringify(JSON.parse(text), null, 2) : text)
  } catch (error) {
    show('no answer', String(error))
  }
}

function urlOf(form) {
  let path = form.dataset.path.slice(1)
  const query = new URLSearchParams()
  for (const field of form.querySelectorAll('[name]')) {
    const { name } = field
    const value = field.multiple ? Array.from(field.selectedOptions, option => option.value).join() : field.value
    const place = `{${name}}`
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const url = new URL(path, document.baseURI)
  url.search = query.toString()
  return url
}

function isJson(response) {
  return /[/+]json/.test(response.headers.get('Content-Type') ?? '')
}
