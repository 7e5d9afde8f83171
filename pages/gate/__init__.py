"""What stands before Streamlit: who gets in, from which origin, with which limits; and the sign-in page."""
