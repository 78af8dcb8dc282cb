// The box for rulesheets.

export function mount() {}
