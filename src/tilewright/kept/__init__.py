"""What is kept between processes in the user's folder."""
