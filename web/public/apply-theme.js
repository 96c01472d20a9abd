// Runs before the first paint, so that a chosen theme never flashes the other one. theme.ts writes the choice.
try {
  const theme = localStorage.getItem("switchyard.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the theme of the system applies.
}
