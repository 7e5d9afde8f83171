// Shows the password on demand; without it the form works as well.
const field = document.getElementById("password");
const box = document.getElementById("show");
box.parentElement.hidden = false;
box.addEventListener("change", () => { field.type = box.checked ? "text" : "password"; });
// A browser keeps what was typed into a plain field.
field.form.addEventListener("submit", () => { field.type = "password"; });
