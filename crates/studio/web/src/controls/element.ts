// Elements with a class and words.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  words = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (words) made.textContent = words;
  return made;
}
